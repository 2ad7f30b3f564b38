#include "devices/odp_nic/cookie.hpp"
#include "devices/odp_nic/kind.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {
namespace {

using scenario::to_text;

constexpr std::size_t most_entries = 8;  // each takes a queue at its GPU
constexpr Duration shortest_interval = 1us;
constexpr std::int64_t most_pages = 1 << 20;

/// What the registered buffer of a traffic entry can be.
void check_entry(const OdpNicConfig& nic, std::size_t entry, scenario::DeviceCheck& check) {
  const auto& t = check.scenario().traffic[entry];
  const auto* dma = t.as<scenario::traffic::Dma>();
  const auto* to = check.tree().find(t.to);
  if (dma == nullptr || to == nullptr) return;
  const auto* gpu = std::get_if<GpuConfig>(&to->config);
  if (gpu == nullptr) {
    check.add_traffic(entry, "to", what_is(*to) + ", not a gpu; the pages of an odp_nic are in GPU memory");
  } else {
    if (gpu->bar1.when_full == Bar1Full::remap)
      check.add_traffic(entry, "to",
                        t.to + " has bar1.when_full remap, which cannot be combined with the aliases of an odp_nic");
    if (check.tree().root_of(t.to) != check.tree().root_of(t.from))
      check.add_traffic(entry, "to",
                        t.to + " is below another root complex than " + t.from + ", which an odp_nic cannot reach");
  }
  if (t.arrival != scenario::ArrivalLaw::regular)
    check.add_traffic(entry, "arrival", "an odp_nic supports only regular arrival");
  if (dma->traffic_class != 0) check.add_traffic(entry, "traffic_class", "an odp_nic supports traffic class 0 only");
  if (dma->addresses == scenario::Addresses::random)
    check.add_traffic(entry, "addresses", "an odp_nic supports addresses in_turn only");
  if (dma->window % nic.page != Bytes{0})
    check.add_traffic(entry, "window",
                      to_text(dma->window) + " is not a whole number of pages of " + t.from + ", " + to_text(nic.page));
  if (dma->window / nic.page > most_pages)
    check.add_traffic(entry, "window", to_text(dma->window) + " is more than " + std::to_string(most_pages) + " pages");
}

}  // namespace

void Kind<OdpNicConfig>::check(const OdpNicConfig& nic, scenario::DeviceCheck& check) {
  constexpr std::int64_t most_slots = 1 << odp::Cookie::slot_bits;
  check.power_of_two("page", nic.page.count(), to_text(nic.page));
  check.power_of_two("mtu", nic.mtu.count(), to_text(nic.mtu));
  check.zero_or_counted("migrate_rate", nic.migrate_rate);
  if (nic.aperture % nic.page != Bytes{0})
    check.add("aperture", to_text(nic.aperture) + " is not a whole number of pages, " + to_text(nic.page));
  if (nic.aperture / nic.page > most_slots)
    check.add("aperture", to_text(nic.aperture) + " is more than " + std::to_string(most_slots) + " pages");
  for (const auto& [key, interval] :
       {std::pair{"touch_interval", nic.touch_interval}, {"evict_interval", nic.evict_interval}})
    if (interval > Duration{0} && interval < shortest_interval)
      check.add(key, to_text(interval) + " is below the minimum, " + to_text(shortest_interval) + "; 0ns: never");
  if (nic.buffer < nic.mtu) check.add("buffer", to_text(nic.buffer) + " is less than the mtu, " + to_text(nic.mtu));
  if (nic.pages_in.empty()) {
    check.add("pages_in", "must name the host_memory that pages migrate to");
  } else if (const auto* memory = check.tree().find(nic.pages_in); memory == nullptr) {
    check.add("pages_in", no_device(check.tree(), nic.pages_in));
  } else if (!std::holds_alternative<HostMemoryConfig>(memory->config)) {
    check.add("pages_in", what_is(*memory) + ", not a host_memory");
  }
  const auto& traffic = check.scenario().traffic;
  std::size_t entries = 0;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const auto* from = check.tree().find(traffic[i].from);
    if (from == nullptr || std::get_if<OdpNicConfig>(&from->config) != &nic) continue;
    check_entry(nic, i, check);
    if (++entries == most_entries + 1)
      check.add_traffic(i, "from", "an odp_nic has " + std::to_string(most_entries) + " entries at most");
  }
}

}  // namespace peerpath::device
