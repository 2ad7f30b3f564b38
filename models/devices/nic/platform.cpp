#include "devices/nic/platform.hpp"

#include "devices/host_memory/host_memory.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/kind.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/device/function_endpoint.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace {

int nic_channels(const device::NicConfig& config) {
  return nic::nic_channels + (config.ats ? ats::channels(*config.ats) : 0);
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

/// How often the host takes translations back; 0: never.
Duration flush_interval(const scenario::Scenario& scenario, const std::string& nic) {
  const auto* root = scenario::Tree{scenario}.root_config(nic);
  return root != nullptr && root->iommu ? root->iommu->flush_interval : Duration{0};
}

/// With a cable its port runs at that one's rate.
device::NicConfig with_cable(device::NicConfig config, const scenario::Scenario& scenario, const std::string& nic) {
  for (const auto& cable : scenario.cables)
    if (cable.from == nic || cable.to == nic) config.wire_rate = scenario::rate_of(cable, scenario);
  return config;
}

void fill_ring(Report& report, const std::string& name, const nic::RingCounters& before,
               const nic::RingCounters& after) {
  report.add(name + "_descriptors", "1", after.descriptors - before.descriptors, "Descriptors read from rings");
  report.add(name + "_descriptor_bytes", "B", (after.descriptor_bytes - before.descriptor_bytes).count(),
             "Bytes of those descriptors");
  report.add(name + "_completions", "1", after.completions - before.completions, "Completion entries written");
  report.add(name + "_completion_bytes", "B", (after.completion_bytes - before.completion_bytes).count(),
             "Bytes of those entries");
}

}  // namespace

Nic::Nic(const std::string& name, Domain& domain, HostMemory& host, const device::NicConfig& config)
    : Device{domain.add_endpoint(name, device::endpoint_of(config.function, nic_channels(config)))},
      config_{config},
      doorbells_{domain.place(node(), nic::Nic::doorbell_bar(config), false)},
      rings_{make_rings(config, host)},
      behaviour_{config, rings_, doorbells_},
      ats_{make_ats(behaviour_, config, node(), host.node())},
      device_{domain.attach(ats_ ? static_cast<device::Endpoint&>(*ats_) : behaviour_,
                            {.node = node(), .channels = nic_channels(config)})},
      pcie{node()} {
  domain.add_port(pcie);
}

std::any Nic::count(Instant now) {
  Counted counted;
  counted.nic = behaviour_.counters();
  counted.nic.wire_busy = behaviour_.datapath().wire_busy(now);
  counted.receiving = behaviour_.datapath().receiving().busy(now);
  counted.sending = behaviour_.datapath().sending().busy(now);
  if (ats_) counted.translations = ats_->counters();
  return counted;
}

void Nic::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < report.scenario.traffic.size(); ++i)
    if (report.scenario.traffic[i].from == name) entries.push_back(i);
  if (config_.ats) {
    const auto &x = a.translations, &y = b.translations;
    report.add(name + ".ats_hits", "1", y.hits - x.hits, "Page accesses that hit the translation cache (ATC)");
    report.add(name + ".ats_requests", "1", y.requests - x.requests, "Translation requests");
    report.add(name + ".page_requests", "1", y.page_requests - x.page_requests, "Page requests (PRI)");
  }
  Duration receiving{};
  for (const auto i : entries) receiving += report.meter.wire_busy(i, report.end);
  for (const auto& [reason, drop] : nic::enum_names(nic::Drop{})) {
    const auto count = b.nic.dropped(drop) - a.nic.dropped(drop);
    report.add(name + ".dropped_" + std::string{reason}, "1", count, "Frames dropped for this reason");
    Instant first = never;
    for (const auto i : entries) first = std::min(first, report.meter.first_drop(i, drop));
    if (count > 0) report.results.faults.push_back({name, "frame dropped: " + std::string{reason}, count, first});
  }
  report.add(name + ".rx_fifo_peak_bytes", "B", b.nic.rx_fifo_peak.count(),
             "Peak level of the receive FIFO since the start");
  report.add(name + ".rx_waited_fetch", "1", b.nic.rx_waited_fetch - a.nic.rx_waited_fetch,
             "Frames that waited for a descriptor fetch");
  report.add(name + ".rx_waited_ring", "1", b.nic.rx_waited_ring - a.nic.rx_waited_ring,
             "Frames that waited for the driver to post buffers");
  report.add(name + ".interrupts", "1", b.nic.interrupts - a.nic.interrupts, "Interrupts sent");
  report.add(name + ".descriptor_reads", "1", b.nic.descriptor_reads - a.nic.descriptor_reads,
             "Reads of buffer and transmit descriptors");
  report.add(name + ".completion_writes", "1", b.nic.completion_writes - a.nic.completion_writes,
             "Writes of completion entries");
  fill_ring(report, name + ".rx", a.nic.rx_ring, b.nic.rx_ring);
  fill_ring(report, name + ".tx", a.nic.tx_ring, b.nic.tx_ring);
  report.results.resources.push_back({name + " Ethernet receive", receiving, report.window, true});
  report.results.resources.push_back({name + " Ethernet transmit", b.nic.wire_busy - a.nic.wire_busy, report.window});
  if (config_.packet_rate == 0) return;
  report.results.resources.push_back({name + " packet rate of receive", b.receiving - a.receiving, report.window});
  report.results.resources.push_back({name + " packet rate of transmit", b.sending - a.sending, report.window});
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::NicConfig>::make(const std::string& name,
                                                                        const NicConfig& config,
                                                                        const scenario::Scenario& scenario,
                                                                        platform::Platform& platform) {
  auto nic = std::make_unique<platform::Nic>(name, platform.domain, platform.rings_of(scenario, name),
                                             platform::with_cable(config, scenario, name));
  if (nic->translations() != nullptr) nic->translations()->flush_every(platform::flush_interval(scenario, name));
  return nic;
}

}  // namespace peerpath
