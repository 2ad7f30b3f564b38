#include "platform/platform.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/describe.hpp"
#include "platform/catalogue.hpp"
#include "scenario/hierarchy.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace {

using scenario::device_of;

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
                    .ack_interval = link.ack_interval,
                    .update_fc_interval = link.update_fc_interval,
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

int links_at(const scenario::Scenario& scenario, const std::string& device) {
  const auto here = [&](const scenario::Link& l) { return device_of(l.from) == device || device_of(l.to) == device; };
  return static_cast<int>(std::ranges::count_if(scenario.links, here));
}

Platform::Platform(const scenario::Scenario& scenario, fabric::Mode mode)
    : domain{mode, static_cast<std::uint64_t>(scenario.run.seed)} {
  make_devices(scenario, *this,
               [this](const std::string& name, std::unique_ptr<Device> device) { devices_[name] = std::move(device); });
  for (const auto* link : scenario::links_in_port_order(scenario))
    add_link(*link, static_cast<std::uint32_t>(link - scenario.links.data()));
  join_sockets(scenario);
  for (const auto& weight : scenario.arbitration)
    domain.weigh(port_towards(weight.at, weight.from), port_towards(weight.at, weight.to), weight.turns);
}

Device& Platform::device(const std::string& name) const {
  const auto found = devices_.find(name);
  require(found != devices_.end(), "a device of the scenario");
  return *found->second;
}

HostCpu* Platform::cpu_of(const std::string& memory) const {
  for (const auto& [name, cpu] : all<HostCpu>())
    if (&cpu->host() == find<HostMemory>(memory)) return cpu;
  return nullptr;
}

HostMemory& Platform::rings_of(const scenario::Scenario& scenario, const std::string& nic) const {
  for (const auto& traffic : scenario.traffic) {
    const auto rings = traffic.with_kind([](auto kind, const auto& what) { return kind.rings(what); });
    if (traffic.from == nic && !rings.empty()) return *find<HostMemory>(std::string{rings});
  }
  const scenario::Tree tree{scenario};
  if (auto* own = find<HostMemory>(tree.standing_at<device::HostMemoryConfig>(tree.root_of(nic)))) return *own;
  const auto memories = tree.all_of<device::HostMemoryConfig>(scenario::host_of(nic));
  require(!memories.empty(), "a NIC needs host memory for its rings");
  return *find<HostMemory>(memories.front());
}

void Platform::join_sockets(const scenario::Scenario& scenario) {
  for (const auto& link : scenario.inter_socket) {
    const auto writes = link.peer_write_rate.value_or(BitRate{}), reads = link.peer_read_rate.value_or(BitRate{});
    const BitRate rate{link.rate.bps() * link.links};
    LinkConfig config;
    config.inter_socket = rate;
    config.propagation = link.latency;
    config.credits = {{{512, 8192}, {512, 512}, {0, 0}}};  // assumed: buffers never limit a link that nothing holds up
    join(find<RootComplex>(link.from)->take_socket_port(writes, reads),
         find<RootComplex>(link.to)->take_socket_port(writes, reads), config, "inter-socket " + scenario::to_text(rate),
         link.to);
  }
  if (scenario.inter_socket.empty()) return;
  for (const auto& [name, root] : all<RootComplex>())
    for (const auto& [other, memory] : all<HostMemory>())
      if (scenario::host_of(other) == scenario::host_of(name) && memory->port.peer != &root->memory)
        root->add_remote(memory->node());
}

const Port& Platform::port_towards(const std::string& router, const std::string& other) const {
  for (const auto& joint : joints_) {
    if (joint.farther == other && joint.nearer->node == node(router)) return *joint.nearer;
    if (joint.farther == router && joint.nearer->node == node(other)) return *joint.nearer->peer;
  }
  fail("a port of a router that leads straight to a device");
}

void Platform::join(Port& nearer, Port& port, const LinkConfig& config, const std::string& shape,
                    const std::string& farther) {
  bind(nearer, port, config);
  joints_.push_back({&nearer, shape, farther});
}

void Platform::add_link(const scenario::Link& link, std::uint32_t number) {
  auto& nearer = device(device_of(link.from)).take_port(false);
  auto& farther = device(device_of(link.to)).take_port(true);
  auto config = link_config(link);
  config.error_sequence = number;  // whatever else there is
  join(nearer, farther, config, "Gen" + std::to_string(link.generation) + " x" + std::to_string(link.width),
       device_of(link.to));
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
