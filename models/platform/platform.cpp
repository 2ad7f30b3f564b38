#include "platform/platform.hpp"

#include <algorithm>

#include "core/devices/ats/ats_function.hpp"
#include "core/host/refused_writes.hpp"
#include "peerpath/base/fail.hpp"
#include "scenario/hierarchy.hpp"

namespace peerpath::platform {
namespace {

/// "sw0.3" is port 3 of sw0.
std::string device_of(const std::string& end) { return end.substr(0, end.find('.')); }

int links_at(const scenario::Scenario& scenario, const std::string& device) {
  const auto here = [&](const scenario::Link& l) { return device_of(l.from) == device || device_of(l.to) == device; };
  return static_cast<int>(std::ranges::count_if(scenario.links, here));
}

/// MPS and MRRS of the host itself: what every function of the hierarchy can take.
device::FunctionConfig host_function(const scenario::Scenario& scenario) {
  device::FunctionConfig host;
  host.max_payload = Bytes{4096};
  bool any = false;
  const auto take = [&](const device::FunctionConfig& function) {
    host.max_payload = std::min(host.max_payload, function.max_payload);
    any = true;
  };
  for (const auto& device : scenario.devices) {
    if (const auto* nic = std::get_if<device::NicConfig>(&device.config)) take(nic->function);
    if (const auto* gpu = std::get_if<device::GpuConfig>(&device.config)) take(gpu->function);
    if (const auto* card = std::get_if<device::DmaCardConfig>(&device.config)) take(card->function);
  }
  if (!any) host.max_payload = device::FunctionConfig{}.max_payload;
  return host;
}

/// Position in the order of construction: a device comes after those that it refers to.
int rank(const device::RootComplexConfig&) { return 0; }
int rank(const device::HostMemoryConfig&) { return 1; }
int rank(const device::SwitchConfig&) { return 2; }
int rank(const device::GpuConfig&) { return 3; }
int rank(const device::NicConfig&) { return 4; }
int rank(const device::DmaCardConfig&) { return 5; }
int rank(const device::HostCpuConfig&) { return 6; }

/// How often the host takes translations back; 0: never.
Duration flush_interval(const scenario::Scenario& scenario) {
  for (const auto& device : scenario.devices)
    if (const auto* root = std::get_if<device::RootComplexConfig>(&device.config); root != nullptr && root->iommu)
      return root->iommu->flush_interval;
  return {};
}

std::array<fabric::Credits, pcie::tlp_classes> credits_of(const scenario::CreditConfig& c) {
  return {{{c.posted_header, c.posted_data},
           {c.non_posted_header, c.non_posted_data},
           {c.completion_header, c.completion_data}}};
}

LinkConfig link_config(const scenario::Link& link) {
  LinkConfig config{.shape = {link.generation, link.width},
                    .dllp = link.dllp,
                    .link_share = link.link_share,
                    .propagation = link.propagation,
                    .update_fc = link.update_fc,
                    .tlp_gap = link.tlp_gap,
                    .bit_error_rate = link.bit_error_rate,
                    .replay_delay = link.replay_delay,
                    .credits = credits_of(link.credits)};
  if (!link.vc1) return config;
  for (const int traffic_class : link.vc1->traffic_classes)
    config.vc1_classes |= static_cast<std::uint8_t>(1 << traffic_class);
  config.vc1_credits = credits_of(link.vc1->credits);
  config.vc_arbitration = {link.vc1->vc0_turns, link.vc1->vc1_turns};
  return config;
}

}  // namespace

Platform::Platform(const scenario::Scenario& scenario, fabric::Mode mode)
    : domain{mode, static_cast<std::uint64_t>(scenario.run.seed)} {
  std::vector<const scenario::Device*> order;
  for (const auto& device : scenario.devices) order.push_back(&device);
  const auto rank_of = [](const scenario::Device* d) {
    return std::visit([](const auto& c) { return rank(c); }, d->config);
  };
  std::ranges::stable_sort(order, {}, rank_of);
  for (const auto* device : order) add_device(*device, scenario);
  for (const auto* link : scenario::links_in_port_order(scenario))
    add_link(*link, static_cast<std::uint32_t>(link - scenario.links.data()));
  for (const auto& weight : scenario.arbitration)
    domain.weigh(port_towards(weight.at, weight.from), port_towards(weight.at, weight.to), weight.turns);
}

Platform::~Platform() = default;

const Port& Platform::port_towards(const std::string& router, const std::string& other) const {
  for (const auto& joint : joints_) {
    if (joint.farther == other && joint.nearer->node == node(router)) return *joint.nearer;
    if (joint.farther == router && joint.nearer->node == node(other)) return *joint.nearer->peer;
  }
  fail("a port of a router that leads straight to a device");
}

void Platform::add_device(const scenario::Device& device, const scenario::Scenario& scenario) {
  const auto& name = device.name;
  const auto make = [&]<class Made>(std::map<std::string, std::unique_ptr<Made>>& group, auto&&... arguments) {
    auto& made = group[name] = std::make_unique<Made>(name, domain, arguments...);
    return made.get();
  };
  if (const auto* root = std::get_if<device::RootComplexConfig>(&device.config)) {
    nodes_[name] = make(root_complexes, links_at(scenario, name), *root)->node();
  } else if (const auto* memory = std::get_if<device::HostMemoryConfig>(&device.config)) {
    auto* made = make(memories, *memory, host_function(scenario));
    const auto at = root_complexes.find(memory->at);
    require(at != root_complexes.end() && !memory_of_root_.contains(memory->at), "a root complex has one host memory");
    memory_of_root_[memory->at] = name;
    nodes_[name] = made->node();
    bind(at->second->memory, made->port, {.internal = true});
    joints_.push_back({&at->second->memory, "internal", name});
  } else if (const auto* bridge = std::get_if<device::SwitchConfig>(&device.config)) {
    nodes_[name] = make(switches, links_at(scenario, name), *bridge)->node();
  } else if (const auto* gpu = std::get_if<device::GpuConfig>(&device.config)) {
    nodes_[name] = make(gpus, *gpu)->node();
  } else if (const auto* nic = std::get_if<device::NicConfig>(&device.config)) {
    require(any_memory() != nullptr, "a NIC needs host memory for its rings");
    auto* made = make(nics, *any_memory(), *nic);
    nodes_[name] = made->node();
    if (made->translations() != nullptr) made->translations()->flush_every(flush_interval(scenario));
  } else if (const auto* card = std::get_if<device::DmaCardConfig>(&device.config)) {
    nodes_[name] = make(cards, *card)->node();
  } else if (const auto* cpu = std::get_if<device::HostCpuConfig>(&device.config)) {
    const auto at = memory_of_root_.find(cpu->at);
    require(at != memory_of_root_.end(), "cores need host memory at their root complex");
    memory_of_cpu_[name] = at->second;
    nodes_[name] = memories[at->second]->node();
    cpus[name] = std::make_unique<HostCpu>(domain, *memories[at->second], *cpu);
  }
}

Port& Platform::take_port(const std::string& end, bool upstream) {
  const auto device = device_of(end);
  if (const auto root = root_complexes.find(device); root != root_complexes.end())
    return root->second->port(ports_taken_[device]++);
  if (const auto bridge = switches.find(device); bridge != switches.end())
    return bridge->second->port(upstream ? 0 : ++ports_taken_[device]);
  if (const auto nic = nics.find(device); nic != nics.end()) return nic->second->pcie;
  if (const auto gpu = gpus.find(device); gpu != gpus.end()) return gpu->second->pcie;
  const auto card = cards.find(device);
  require(card != cards.end(), "a link ends at a device that has PCIe ports");
  return card->second->pcie;
}

void Platform::add_link(const scenario::Link& link, std::uint32_t number) {
  auto& nearer = take_port(link.from, false);
  auto config = link_config(link);
  config.error_sequence = number;  // whatever else there is
  bind(nearer, take_port(link.to, true), config);
  joints_.push_back(
      {&nearer, "Gen" + std::to_string(link.generation) + " x" + std::to_string(link.width), device_of(link.to)});
}

const Platform::Joint& Platform::joint_above(const std::string& device) const {
  const auto joint = std::ranges::find(joints_, device, &Joint::farther);
  require(joint != joints_.end(), "a device below a port");
  return *joint;
}

fabric::LinkId Platform::link_above(const std::string& device) const {
  return domain.link_of(*joint_above(device).nearer);
}

void Platform::retrain(fabric::Fabric& fabric, const std::string& device, pcie::LinkShape shape) const {
  const auto& port = *joint_above(device).nearer;
  const auto link = domain.link_of(port);
  fabric.set_timing(link, direction(device, false), domain.timing(port, shape));
  fabric.set_timing(link, direction(device, true), domain.timing(*port.peer, shape));
}

int Platform::direction(const std::string& device, bool up) const {
  const auto& link = domain.topology().links[link_above(device).value()];
  return (link.a == node(device)) == up ? 0 : 1;
}

fabric::LinkId Platform::add_trap(const std::string& bridge, pcie::Status status) {
  fabric::Endpoint trap;
  trap.misdirected = status;
  const bool aborts = status == pcie::Status::completer_abort;
  const auto trap_node = domain.add_endpoint(bridge + (aborts ? " ACS violations" : " unsupported requests"), trap);
  const auto direction = link_direction({.internal = true}, trap.max_payload);
  return traps_[{bridge, status}] = domain.connect(node(bridge), trap_node, direction, direction);
}

std::optional<fabric::LinkId> Platform::trap_of(const std::string& bridge, pcie::Status status) const {
  const auto found = traps_.find({bridge, status});
  return found == traps_.end() ? std::nullopt : std::optional{found->second};
}

void Platform::count_refused_writes() {
  const auto count = [this](const std::string& name, Port& port) {
    auto& counter = refused_[name] = std::make_unique<host::RefusedWrites>(port.gate);
    port.gate = counter.get();
  };
  for (const auto& [name, memory] : memories) count(name, memory->port);
  for (const auto& [name, gpu] : gpus) count(name, gpu->pcie);
}

fabric::NodeId Platform::node(const std::string& device) const {
  const auto found = nodes_.find(device);
  require(found != nodes_.end(), "a device of the scenario");
  return found->second;
}

BusAddress Platform::memory_of(const std::string& device, Bytes size) {
  if (const auto gpu = gpus.find(device); gpu != gpus.end()) return gpu->second->map(size);
  if (const auto card = cards.find(device); card != cards.end()) return card->second->memory();
  const auto memory = memories.find(device);
  require(memory != memories.end(), "a device with memory");
  return memory->second->reserve(size);
}

HostCpu* Platform::cpu_of(const std::string& memory) {
  for (const auto& [cpu, its_memory] : memory_of_cpu_)
    if (its_memory == memory) return cpus[cpu].get();
  return cpus.empty() ? nullptr : cpus.begin()->second.get();
}

std::vector<observe::LinkLabel> Platform::labels() const {
  std::vector<observe::LinkLabel> labels(domain.topology().links.size());
  for (const auto& [whose, trap] : traps_) labels[trap.value()] = {"internal", true};
  for (const auto& joint : joints_) {
    const auto link = domain.link_of(*joint.nearer).value();
    labels[link] = {joint.shape, domain.topology().links[link].a == joint.nearer->node};
  }
  return labels;
}

}  // namespace peerpath::platform
