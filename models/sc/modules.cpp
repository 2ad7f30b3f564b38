#include "peerpath/sc/modules.hpp"

#include <algorithm>
#include <string>

#include "core/devices/ats/ats_function.hpp"
#include "core/devices/dma_card/dma_card.hpp"
#include "core/devices/gpu/bar1.hpp"
#include "core/devices/gpu/gpu.hpp"
#include "core/devices/gpu/peer_reads.hpp"
#include "core/devices/host_cpu/driver_context.hpp"
#include "core/devices/host_memory/host_memory.hpp"
#include "core/devices/host_memory/memory_gate.hpp"
#include "core/devices/nic/nic.hpp"
#include "core/devices/pcie_switch/pcie_switch.hpp"
#include "core/devices/root_complex/root_complex.hpp"
#include "core/devices/root_complex/root_port.hpp"
#include "sc/foreign_dram.hpp"
#include "sc/memory_map.hpp"

namespace peerpath::sc {
namespace {

constexpr BusAddress buffers_base{0x1'0000'0000};  ///< drivers take DRAM above 4 GiB

std::vector<std::unique_ptr<PciePort>> make_ports(int count, Domain& domain, fabric::NodeId node) {
  std::vector<std::unique_ptr<PciePort>> ports;
  for (int i = 0; i < count; ++i) ports.push_back(std::make_unique<PciePort>("port" + std::to_string(i), domain, node));
  return ports;
}

int nic_channels(const device::NicConfig& config) {
  return nic::nic_channels + (config.ats ? ats::channels(*config.ats) : 0);
}

fabric::Endpoint nic_endpoint(const device::NicConfig& config) {
  const auto& function = config.function;
  return {.max_payload = function.max_payload,
          .max_read_request = function.max_read_request,
          .max_completion = function.max_payload,
          .tags = function.tags,
          .completion_timeout = function.completion_timeout,
          .channels = nic_channels(config),
          .one_queue = function.one_queue};
}

/// With ATS, translation requests have channels of their own behind those of the NIC.
std::unique_ptr<ats::AtsFunction> make_ats(nic::Nic& behaviour, const device::NicConfig& config, fabric::NodeId self,
                                           fabric::NodeId memory) {
  if (!config.ats) return nullptr;
  const auto channel = static_cast<std::uint16_t>(nic::nic_channels + 1);
  return std::make_unique<ats::AtsFunction>(behaviour, *config.ats, self, memory, fabric::ChannelIndex{channel});
}

/// Rings in host memory. The NIC learns their places when it is made.
std::shared_ptr<nic::QueueMemory> make_rings(const device::NicConfig& config, HostMemory& host) {
  auto rings = std::make_shared<nic::QueueMemory>(config.queues, static_cast<std::uint32_t>(config.ring_entries));
  const nic::MemoryPlace origin{host.node(), BusAddress{0}};
  const nic::MemoryPlace interrupts{host.node(), host_memory::interrupt_base};
  const auto size = rings->place(origin, interrupts).address - origin.address;
  rings->place({host.node(), host.reserve(size)}, interrupts);
  return rings;
}

/// The port that this one is joined to, by a link or through a foreign component.
PciePort* across(const PciePort& port) { return port.beyond() != nullptr ? port.beyond() : port.peer(); }

Window window(BusAddress base, Bytes size) { return {base.value(), static_cast<std::uint64_t>(size.count())}; }

}  // namespace

PcieSwitch::PcieSwitch(const sc_core::sc_module_name& name, Domain& domain, int ports,
                       const device::SwitchConfig& config)
    : sc_core::sc_module{name},
      node_{domain.add_router(basename(), pcie_switch::router(config))},
      ports_{make_ports(ports, domain, node_)} {}
PcieSwitch::~PcieSwitch() = default;

RootComplex::RootComplex(const sc_core::sc_module_name& name, Domain& domain, int ports,
                         const device::RootComplexConfig& config)
    : sc_core::sc_module{name},
      node_{domain.add_router(basename(), root_complex::router(config))},
      ports_{make_ports(ports, domain, node_)},
      peers_{config.peer_to_peer},
      memory{"memory", domain, node_} {
  memory.link.internal = true;
  if (!root_complex::RootPort::wanted(config)) return;
  for (const auto& port : ports_) {
    gates_.push_back(std::make_unique<root_complex::RootPort>(config));
    port->gate = gates_.back().get();
  }
}
RootComplex::~RootComplex() = default;

void RootComplex::before_end_of_elaboration() {
  const auto* host = across(memory);
  const auto host_node = host != nullptr ? host->node() : node_;  // without memory all others are peers
  for (const auto& gate : gates_) gate->set_memory(host_node);
  if (!peers_) return;
  for (const auto& port : ports_) {
    auto* behind = across(*port);
    if (behind == nullptr) continue;
    peer_writes_.push_back(std::make_unique<root_complex::PeerWrites>(*peers_, host_node, behind->gate));
    behind->gate = peer_writes_.back().get();
  }
}

HostMemory::HostMemory(const sc_core::sc_module_name& name, Domain& domain, const device::HostMemoryConfig& config,
                       const device::FunctionConfig& function)
    : sc_core::sc_module{name},
      config_{config},
      domain_{domain},
      node_{domain.add_endpoint(
          basename(), host_memory::fabric_endpoint(config, {.max_payload = function.max_payload,
                                                            .max_read_request = function.max_read_request,
                                                            .tags = function.tags,
                                                            .channels = host_cpu::host_channels,
                                                            .completion_timeout = function.completion_timeout}))},
      next_{buffers_base},
      copies_{std::make_unique<host_cpu::CopyRequests>()},
      port{"port", domain, node_} {
  std::uint64_t before = 0;  // bytes of DRAM below the region
  for (const auto& region : host_memory::regions(basename(), config)) {
    const auto bytes = window(region.base, region.size);
    domain.memory_map().add({bytes, node_, true, bytes.base - before});
    before += bytes.size;
  }
  domain.map(node_, window(host_memory::interrupt_base, host_memory::interrupt_size));
  if (!host_memory::MemoryGate::wanted(config)) return;
  gate_ = std::make_unique<host_memory::MemoryGate>(config);
  port.gate = gate_.get();
}
HostMemory::~HostMemory() = default;

std::string HostMemory::side_name() const {
  std::string side = name();
  std::ranges::replace(side, '.', '_');
  return side + "_dram";
}

tlm::tlm_bw_transport_if<>& HostMemory::foreign_dram(const TargetOptions& options) {
  if (config_.cache || config_.channels)
    SC_REPORT_FATAL("peerpath/host_memory",
                    "a foreign memory has no cache or channels of ours before it: leave both out of the configuration");
  dram_ = std::make_unique<ForeignDram>(domain_, node_, side_name() + "_caller", options);
  return *dram_;
}

void HostMemory::before_end_of_elaboration() {
  if (dram_) dram_->attach(outlet_->other);
}

BusAddress HostMemory::reserve(Bytes size) {
  const auto at = next_;
  next_ = next_ + Bytes{(size.count() + 4095) / 4096 * 4096};
  return at;
}

Gpu::Gpu(const sc_core::sc_module_name& name, Domain& domain, const device::GpuConfig& config)
    : sc_core::sc_module{name},
      config_{config},
      node_{domain.add_endpoint(basename(), gpu::fabric_endpoint(config))},
      memory_{domain.place(node_, config.bar_size, true, config.bar_address)},
      doorbell_{domain.place(node_, gpu::register_bar_size, false)},
      bar1_{std::make_unique<gpu::Bar1>(config)},
      behaviour_{std::make_unique<gpu::Gpu>(config)},
      pcie{"pcie", domain, node_} {
  domain.attach(*behaviour_, {.node = node_, .channels = config.copy_engines, .hears_arrivals = true});
  if (!config.peer_reads) return;
  peer_reads_ = std::make_unique<gpu::PeerReads>(config);
  pcie.gate = peer_reads_.get();
}
Gpu::~Gpu() = default;

void Gpu::serve(HostMemory& host) { behaviour_->serve(host.node(), host.copies()); }

BusAddress Gpu::map(Bytes size) {
  const auto at = bar1_->map(size);
  require(at.has_value(), "what is mapped fits into the GPU's window");
  return memory_ + *at;
}

Nic::Nic(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host, const device::NicConfig& config)
    : sc_core::sc_module{name},
      config_{config},
      node_{domain.add_endpoint(basename(), nic_endpoint(config))},
      doorbells_{domain.place(node_, nic::Nic::doorbell_bar(config), false)},
      rings_{make_rings(config, host)},
      behaviour_{std::make_unique<nic::Nic>(config, rings_, doorbells_)},
      ats_{make_ats(*behaviour_, config, node_, host.node())},
      device_{domain.attach(ats_ ? static_cast<device::Endpoint&>(*ats_) : *behaviour_,
                            {.node = node_, .channels = nic_channels(config)})},
      pcie{"pcie", domain, node_} {}
Nic::~Nic() = default;

DmaCard::DmaCard(const sc_core::sc_module_name& name, Domain& domain, const device::DmaCardConfig& config)
    : sc_core::sc_module{name},
      config_{config},
      domain_{domain},
      node_{domain.add_endpoint(basename(), dma_card::fabric_endpoint(config, BitRate{}))},
      memory_{domain.place(node_, config.memory, true, config.bar_address)},
      pcie{"pcie", domain, node_} {}
DmaCard::~DmaCard() = default;

std::size_t DmaCard::add(const dma_card::Stream& stream) {
  streams_.push_back(stream);
  return streams_.size() - 1;
}

void DmaCard::before_end_of_elaboration() {
  const auto link = link_direction(pcie.link, config_.function.max_payload);
  const auto channels = domain_.endpoint(node_).channels;  // others may have added theirs
  domain_.endpoint(node_) = dma_card::fabric_endpoint(config_, link.rate);
  domain_.endpoint(node_).channels = channels;
  behaviour_ = std::make_unique<dma_card::DmaCard>(config_, node_, streams_, domain_.topology().seed);
  domain_.attach(*behaviour_, {.node = node_, .channels = 2, .hears_arrivals = true});
}

}  // namespace peerpath::sc
