// What the event-driven reference knows at an instant. Its rules are in queues.cpp, senders.cpp and endpoints.cpp.
#pragma once

#include <functional>
#include <queue>
#include <unordered_map>

#include "fabric/reference/event_queue.hpp"
#include "fabric/reference/flaw.hpp"
#include "fabric/reference/parts.hpp"

namespace peerpath::fabric::reference {

struct State {
  State(const Topology& topology_at_first, DeliverySink& takes_deliveries, Flaw planted);
  State(const State&) = delete;  // its parts point into its topology

  Transmitter& transmitter(std::uint32_t index) { return transmitters[index]; }
  Station& station(NodeId node) { return stations[node.value()]; }
  std::size_t slots_of(NodeId node) const {
    return static_cast<std::size_t>(wiring.ingresses(node)) * pcie::tlp_classes;
  }
  /// The first place of what leaves by a virtual channel of `t`. An endpoint has one queue for both.
  std::size_t first_place(const Transmitter& t, std::size_t channel) const {
    return stations[t.from.value()].node->is_endpoint ? 0 : (2 * t.port + channel) * t.slots;
  }
  bool has_tag(const Transmitter& t, std::size_t slot) const {
    const Station& s = stations[t.from.value()];
    const bool own_request = s.node->is_endpoint && slot % pcie::tlp_classes == index_of(pcie::TlpClass::non_posted);
    return !own_request || s.tags > 0;
  }

  void schedule(Instant when, EventKind kind, std::uint32_t place, std::uint8_t pool = 0, int units = 0) {
    events.push({when, kind, pool, static_cast<std::uint16_t>(units), place});
  }
  /// Something has changed at a transmitter: it arbitrates at the end of this instant if its line is free.
  void poke(std::uint32_t index) {
    Transmitter& t = transmitter(index);
    if (t.pending || (t.wanting[0] == 0 && t.wanting[1] == 0 && t.dllps_due == 0) || t.free > now) return;
    t.pending = true;
    to_arbitrate.push_back(index);
  }

  Topology topology;  ///< as it is now: `set_timing`
  const Wiring wiring;
  DeliverySink* sink;
  const Flaw flaw;
  TlpObserver* observer = nullptr;
  Instant now{}, horizon{};
  EventQueue events;
  std::vector<std::uint32_t> to_arbitrate;  ///< transmitters, at the end of this instant
  std::vector<Station> stations;
  std::vector<Transmitter> transmitters;  ///< link * 2 + direction
  std::priority_queue<Instant, std::vector<Instant>, std::greater<>> bounds;
  std::unordered_map<std::uint64_t, Request*> at_external;
  std::uint64_t next_request = 0, entered = 0;
  Pool<Job> jobs;
  Pool<Request> requests;
  Pool<Tlp> tlps;

 private:
  void build_transmitters();
  void build_stations();
};

/// What each FIFO that is not empty waits for.
std::vector<Waiting> waiting(const State& state);

}  // namespace peerpath::fabric::reference
