#include "traffic/dma/check.hpp"

#include <algorithm>

#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/document.hpp"
#include "traffic/dma/kind.hpp"

namespace peerpath::scenario::traffic {
namespace {

/// Whether the entry is a stream of the device's own engine. Any other one has a queue at its device.
bool by_own_engine(const Traffic& t, const Dma& dma, const Device& from) {
  return with_kind(from, [](auto kind, const auto&) { return kind.has_engine; }) && t.arrival == ArrivalLaw::regular &&
         dma.traffic_class == 0 && dma.bytes == Bytes{};
}

// A transfer stays within one piece of memory that is mapped at a time, and a flow has room for that.
void check_pieces(TrafficCheck& check, Bytes window, const Device& to, const device::GpuConfig& gpu) {
  const Traffic& t = check.traffic();
  const Bytes most = std::min(gpu.bar1.piece, Bytes{window.count() / t.flows / 2});
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > most)
      check.add(join("sizes", i), to_text(t.sizes[i]) + " is more than bar1.piece of " + to.name + ", " +
                                      to_text(gpu.bar1.piece) + " or than half of a flow's part of the window");
}

void check_remapping(const Dma& dma, TrafficCheck& check, const Device& to, const DmaEnds& ends) {
  const auto* gpu = config_of<device::GpuConfig>(&to);
  if (gpu == nullptr || gpu->bar1.when_full != device::Bar1Full::remap) return;
  check_pieces(check, dma.window, to, *gpu);
  if (dma.addresses == Addresses::random)
    check.add("addresses", ends.to + " remaps its BAR1, which requires addresses in_turn");
  if (dma.offset > Bytes{}) check.add("offset", ends.to + " remaps its BAR1, which requires offset 0B");
}

// Flows have parts of the window, and each entry a queue.
void check_queue(TrafficCheck& check, Bytes window, const Device& from, const std::string& key) {
  const Traffic& t = check.traffic();
  const Bytes part{window.count() / t.flows};
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > part && t.sizes[i] <= window)
      check.add(join("sizes", i), to_text(t.sizes[i]) + " is more than a flow's part of the window, " +
                                      to_text(window) + " for " + std::to_string(t.flows) + " flows");
  const auto above = check.tree().uplink(from.name);
  const int most = TrafficCheck::most_queues - (above && check.scenario().links[*above].vc1 ? 1 : 0);
  if (const auto own = check.take_queue(from, most))
    check.add(key, from.name + " has no free queue: " + std::to_string(most) + " at most, " + std::to_string(*own) +
                       " of them reserved");
}

/// Transfers that a device has in flight at most.
std::int64_t in_flight(const Device* from) {
  if (from == nullptr) return device::CommonKind::in_flight(0);
  return with_kind(*from, [](auto kind, const auto& config) { return kind.in_flight(config); });
}

}  // namespace

std::int64_t DmaKind::ahead(const Dma& dma, std::int64_t together, const Device* from) {
  return std::max<std::int64_t>(together, dma.outstanding.value_or(static_cast<int>(in_flight(from))));
}

void DmaKind::plan_window(const Dma& dma, const Scenario& scenario, std::size_t entry, Bar1Plan& plan) {
  for (const auto& leg : scenario.traffic[entry].legs()) {
    if (leg.to != plan.gpu) continue;
    const auto from = std::ranges::find(scenario.devices, leg.from, &Device::name);
    const auto maps = [&](auto kind, const auto& config) { return kind.maps(config, dma.window + dma.offset); };
    const auto registered = from == scenario.devices.end() ? dma.window + dma.offset : with_kind(*from, maps);
    plan.mappings.push_back({{entry}, registered, {}, Bar1Verdict::mapped});
  }
}

void check_dma(const Dma& dma, TrafficCheck& check, const DmaEnds& ends) {
  const Traffic& t = check.traffic();
  const Device* from = check.requester_end(ends.from_key, ends.from);
  const Device* to = check.memory_end(ends.to_key, ends.to);
  if (from != nullptr && from == to)
    check.add(ends.to_key, "is " + ends.to + " itself; no PCIe transfer would take place");
  if (through_host(t.path)) check.add("path", "only receive and transmit go through host memory");
  if (to != nullptr && dma.window + dma.offset > reachable(*to))
    check.add("window",
              to_text(dma.window + dma.offset) + " is more than " + to->name + " has, " + to_text(reachable(*to)));
  if (const auto* nic = config_of<device::NicConfig>(from); nic != nullptr && nic->ats)
    check.add(ends.from_key, ends.from + " has ats, which supports receive and transmit only");
  if (to != nullptr) check_remapping(dma, check, *to, ends);
  for (std::size_t i = 0; i < t.sizes.size(); ++i)
    if (t.sizes[i] > dma.window)
      check.add(join("sizes", i), to_text(t.sizes[i]) + " is more than the window, " + to_text(dma.window));
  if (from == nullptr) return;
  if (!by_own_engine(t, dma, *from)) return check_queue(check, dma.window, *from, ends.from_key);
  if (dma.outstanding)
    check.add("outstanding", "the DMA engine of " + ends.from + " has a fixed number of transfers in flight");
}

void check_dma(const Dma& dma, TrafficCheck& check) {
  check_dma(dma, check, {"from", check.traffic().from, "to", check.traffic().to});
}

}  // namespace peerpath::scenario::traffic
