#include "peerpath/sc/modules.hpp"

#include <algorithm>
#include <string>

#include "devices/dma_card/platform.hpp"
#include "devices/gpu/platform.hpp"
#include "devices/host_cpu/platform.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/platform.hpp"
#include "devices/pcie_switch/platform.hpp"
#include "devices/root_complex/platform.hpp"
#include "sc/foreign_dram.hpp"

namespace peerpath::sc {
namespace {

/// Sockets for the ports of a switch or root complex.
std::vector<std::unique_ptr<PciePort>> make_ports(int count, Domain& domain, auto& plain) {
  std::vector<std::unique_ptr<PciePort>> ports;
  for (int i = 0; i < count; ++i)
    ports.push_back(std::make_unique<PciePort>("port" + std::to_string(i), domain, plain.port(i)));
  return ports;
}

}  // namespace

PcieSwitch::PcieSwitch(const sc_core::sc_module_name& name, Domain& domain, int ports,
                       const device::SwitchConfig& config)
    : sc_core::sc_module{name},
      plain_{std::make_unique<platform::PcieSwitch>(basename(), domain.plain(), ports, config)},
      ports_{make_ports(ports, domain, *plain_)} {}
PcieSwitch::~PcieSwitch() = default;
fabric::NodeId PcieSwitch::node() const { return plain_->node(); }

RootComplex::RootComplex(const sc_core::sc_module_name& name, Domain& domain, int ports,
                         const device::RootComplexConfig& config)
    : sc_core::sc_module{name},
      plain_{std::make_unique<platform::RootComplex>(basename(), domain.plain(), ports, config)},
      ports_{make_ports(ports, domain, *plain_)},
      memory{"memory", domain, plain_->memory} {}
RootComplex::~RootComplex() = default;
fabric::NodeId RootComplex::node() const { return plain_->node(); }

HostMemory::HostMemory(const sc_core::sc_module_name& name, Domain& domain, const device::HostMemoryConfig& config,
                       const device::FunctionConfig& function)
    : sc_core::sc_module{name},
      domain_{domain},
      plain_{std::make_unique<platform::HostMemory>(basename(), domain.plain(), config, function)},
      port{"port", domain, plain_->port} {}
HostMemory::~HostMemory() = default;
fabric::NodeId HostMemory::node() const { return plain_->node(); }
BusAddress HostMemory::reserve(Bytes size) { return plain_->reserve(size); }

std::string HostMemory::side_name() const {
  std::string side = name();
  std::ranges::replace(side, '.', '_');
  return side + "_dram";
}

tlm::tlm_bw_transport_if<>& HostMemory::foreign_dram(const TargetOptions& options) {
  if (plain_->config().cache || plain_->config().channels)
    SC_REPORT_FATAL("peerpath/host_memory",
                    "a foreign memory has no cache or channels of ours before it: leave both out of the configuration");
  dram_ = std::make_unique<ForeignDram>(domain_, node(), side_name() + "_caller", options);
  return *dram_;
}

void HostMemory::before_end_of_elaboration() {
  if (dram_) dram_->attach(outlet_->other);
}

Gpu::Gpu(const sc_core::sc_module_name& name, Domain& domain, const device::GpuConfig& config)
    : sc_core::sc_module{name},
      plain_{std::make_unique<platform::Gpu>(basename(), domain.plain(), config)},
      pcie{"pcie", domain, plain_->pcie} {}
Gpu::~Gpu() = default;
fabric::NodeId Gpu::node() const { return plain_->node(); }
const device::GpuConfig& Gpu::config() const { return plain_->config(); }
BusAddress Gpu::memory() const { return plain_->window(); }
BusAddress Gpu::doorbell() const { return plain_->doorbell(); }
BusAddress Gpu::map(Bytes size) { return plain_->map(size); }
void Gpu::serve(HostMemory& host) { plain_->serve(host.plain()); }
const gpu::Gpu& Gpu::behaviour() const { return plain_->behaviour(); }

Nic::Nic(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host, const device::NicConfig& config)
    : sc_core::sc_module{name},
      plain_{std::make_unique<platform::Nic>(basename(), domain.plain(), host.plain(), config)},
      pcie{"pcie", domain, plain_->pcie} {}
Nic::~Nic() = default;
fabric::NodeId Nic::node() const { return plain_->node(); }
DeviceIndex Nic::device() const { return plain_->device(); }
const device::NicConfig& Nic::config() const { return plain_->config(); }
BusAddress Nic::doorbells() const { return plain_->doorbells(); }
nic::Nic& Nic::behaviour() { return plain_->behaviour(); }

HostCpu::HostCpu(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host,
                 const device::HostCpuConfig& config)
    : sc_core::sc_module{name}, plain_{std::make_unique<platform::HostCpu>(domain.plain(), host.plain(), config)} {}
HostCpu::~HostCpu() = default;

void HostCpu::receive(Nic& nic, const std::vector<int>& queues, Gpu* to, bool bounce, std::optional<Buffers> mapped) {
  plain_->receive(nic.plain(), queues, to == nullptr ? nullptr : &to->plain(), bounce, mapped);
}

void HostCpu::send(Nic& nic, const Send& send) {
  plain_->send(nic.plain(), {.queue = send.queue,
                             .from = send.from == nullptr ? nullptr : &send.from->plain(),
                             .mapped = send.mapped,
                             .bounce = send.bounce,
                             .packet = send.packet,
                             .segment = send.segment,
                             .interval = send.interval,
                             .burst = send.burst,
                             .flows = send.flows});
}

void HostCpu::watch_sent(host_cpu::SentSink* sink) { plain_->watch_sent(sink); }
host_cpu::HostCpu& HostCpu::behaviour() { return plain_->behaviour(); }

DmaCard::DmaCard(const sc_core::sc_module_name& name, Domain& domain, const device::DmaCardConfig& config)
    : sc_core::sc_module{name},
      plain_{std::make_unique<platform::DmaCard>(basename(), domain.plain(), config)},
      pcie{"pcie", domain, plain_->pcie} {}
DmaCard::~DmaCard() = default;
fabric::NodeId DmaCard::node() const { return plain_->node(); }
BusAddress DmaCard::memory() const { return plain_->memory(); }
std::size_t DmaCard::add(const dma_card::Stream& stream) { return plain_->add(stream); }

}  // namespace peerpath::sc
