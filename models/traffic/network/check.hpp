// Checks of traffic that a NIC's queues carry, received or sent.
#pragma once

#include <string_view>

#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/queues.hpp"
#include "scenario/check/traffic_check.hpp"
#include "traffic/network/config.hpp"

namespace peerpath::scenario::traffic {

/// The two ends of an entry, where they are valid.
struct NetworkEnds {
  const device::NicConfig* nic = nullptr;
  const Device* to = nullptr;
};

/// Checks the ends and what they need; `gpu_needed` says why payload in host memory wants a GPU.
NetworkEnds check_ends(const Network& network, TrafficCheck& check, std::string_view gpu_needed);

/// The cable that a NIC has; nullptr if it has none.
const Cable* cable_of(const TrafficCheck& check, const std::string& nic);
/// The NIC at the other end of a cable.
inline const std::string& far_end(const Cable& cable, const std::string& nic) {
  return cable.from == nic ? cable.to : cable.from;
}

/// Whether the ends of the entry are devices, which other checks say.
bool has_ends(const TrafficCheck& check);

/// Whether the packets of all queues of the NIC fit into a DMA card; `each`: the room of one packet.
void check_card(TrafficCheck& check, const NetworkEnds& ends, Bytes each, std::string_view what);

/// Whether frames of `sizes` are at most `most`, which is `limit`.
void check_sizes(TrafficCheck& check, Bytes most, const std::string& limit);

/// What the entries of one direction offer together at a NIC must not exceed its wire rate; by the entry's kind.
template <class What>
void check_wire_rates(TrafficCheck& check) {
  std::map<std::string, WideInt> offered;  // by NIC
  const auto& traffic = check.scenario().traffic;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const Traffic& t = traffic[i];
    const auto* nic = config_of<device::NicConfig>(check.tree().find(t.from));
    if (nic == nullptr || t.replays() || !t.is<What>()) continue;
    WideInt& sum = offered[t.from];
    const bool was_over = sum > nic->wire_rate.bps();
    sum += t.rate.bps();
    if (was_over || sum <= nic->wire_rate.bps()) continue;
    const bool alone = sum == t.rate.bps();
    check.add(i, "rate",
              to_text(t.rate) + (alone ? "" : ", together with the entries before it,") +
                  " is above the wire rate of " + t.from + ", " + to_text(nic->wire_rate));
  }
}

/// Each group of entries needs a queue of its NIC.
void check_queues(TrafficCheck& check, const std::string& nic, const std::vector<QueueShare>& shares,
                  std::string_view groups);

}  // namespace peerpath::scenario::traffic
