// A domain as the engine keeps it between two steps, and the few things that all of its parts do to it.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "fabric/engine/decision_tree.hpp"
#include "fabric/engine/parts.hpp"
#include "fabric/engine/record.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::engine {

/// All parts of one domain. The vectors are sized once, since the parts point at each other.
struct State {
  /// Builds the parts of a topology (build.cpp).
  State(const Topology& topology, DeliverySink& sink);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Topology topology;
  const Wiring wiring;
  DeliverySink& sink;
  TlpObserver* observer = nullptr;

  std::vector<Transmitter> transmitters;  ///< link * 2 + direction
  std::vector<NodeState> nodes;
  std::vector<EndpointState> endpoints;
  Pool<Record> records;
  Pool<Answer> answers;
  DecisionTree decisions;
  std::vector<Transmitter*> touched;  ///< whose decision has to be worked out anew

  Femto horizon = 0;  ///< no start at or after this in the present `advance`
  Femto reached = 0;  ///< what the last `advance` returned
  std::priority_queue<Femto, std::vector<Femto>, std::greater<>> bounds;  ///< done + reaction of notices
  std::int64_t notices_coming = 0;
  Femto shortest_arrival = unknown_time;  ///< a start at t is not noticed by any endpoint before t + this
  Femto side_latency = 0;
  bool rerouted = false;     ///< TLPs of one endpoint to another may go several ways, and back by the link they came by
  bool one_queue = false;    ///< some endpoint has one receive queue
  bool hears_sends = false;  ///< some endpoint has reacted when what it posted had left
  bool may_stray = false;    ///< a TLP under way, or one still to be sent by the present routes, may go astray
  std::int64_t old_records = 0;  ///< transactions under way that were submitted before routes changed

  EndpointState& endpoint(NodeId node) { return *nodes[node.value()].endpoint; }
  Transmitter& outgoing(const Port& port) {
    return transmitters[port.link.value() * 2u + static_cast<unsigned>(port.outgoing)];
  }

  void touch(Transmitter& x) {
    if (x.touched) return;
    x.touched = true;
    touched.push_back(&x);
  }

  /// Routes have changed under all transactions that are under way.
  void mark_old_records();
  /// The transaction is over.
  void close(std::uint32_t record) {
    records[record].alive = false;
    if (records[record].rerouted) --old_records;
    records.give(record);
  }

  /// Somebody at this endpoint will react to a delivery at `done`.
  void notice(EndpointState& endpoint, Femto done);
  /// Forgets the reactions that are over, and lets the others bound the horizon.
  void bound_horizon();
};

}  // namespace peerpath::fabric::engine
