#include <algorithm>

#include "scenario/document.hpp"
#include "traffic/network/check.hpp"
#include "traffic/network/window.hpp"
#include "traffic/transmit/kind.hpp"

namespace peerpath::scenario::traffic {
namespace {

constexpr Bytes largest_send = 64_KiB;

/// A port with a cable has no other end that could take frames.
void check_receiver(TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto& traffic = check.scenario().traffic;
  const auto* cable = has_ends(check) ? cable_of(check, t.from) : nullptr;
  if (cable == nullptr) return;
  const auto& other = far_end(*cable, t.from);
  const auto receivers =
      std::ranges::count_if(traffic, [&](const Traffic& r) { return r.sender() == t.name && r.from == other; });
  if (receivers != 1)
    check.add("kind", receivers == 0 ? "no receive entry of " + other +
                                           " names it as \"sender\", so nothing would receive its frames"
                                     : "is the sender of several entries; it can have one");
  if (const auto rate = cable->rate; rate && t.rate > *rate)
    check.add("rate", to_text(t.rate) + " is above the rate of the cable of " + t.from + ", " + to_text(*rate));
}

}  // namespace

void Kind<Transmit>::check(const Transmit& transmit, TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto ends = check_ends(transmit, check, " needs a gpu as source, whose copy engine supplies the data; ");
  if (t.arrival != ArrivalLaw::regular && t.arrival != ArrivalLaw::burst)
    check.add("arrival", "transmit supports arrival regular or burst");
  check_receiver(check);
  if (ends.nic == nullptr) return;
  const Bytes packet = t.sizes.empty() ? ends.nic->buffer_size : std::min(std::ranges::max(t.sizes), largest_send);
  check_card(check, ends, packet, "packets");
  check_sizes(check, largest_send, " of payload is above the largest send, 64KiB");
}

std::int64_t Kind<Transmit>::ahead(const Transmit&, std::int64_t together, const Device* from) {
  const auto* nic = config_of<device::NicConfig>(from);
  return nic == nullptr ? together : together * nic->queues;
}

void Kind<Transmit>::check_all(TrafficCheck& check) {
  check_wire_rates<Transmit>(check);
  for (const std::string& nic : check.tree().all<device::NicConfig>())
    check_queues(check, nic, transmit_shares(check.scenario(), nic), "transmit entries");
}

void Kind<Transmit>::plan_window(const Transmit&, const Scenario& scenario, std::size_t entry, Bar1Plan& plan) {
  plan_buffers(scenario, transmit_shares(scenario, scenario.traffic[entry].from), entry, plan,
               [](const device::NicConfig& nic, const Traffic& t, std::size_t queues) {
                 Bytes all{};
                 for (std::size_t q = 0; q < queues; ++q) all += t.sizes[q % t.sizes.size()] * nic.ring_entries;
                 return all;
               });
}

}  // namespace peerpath::scenario::traffic
