// What the far end of a link does with the TLPs that arrive: gates, the servers of an endpoint, answers, deliveries.
#pragma once

#include <cstdint>

#include "fabric/engine/queues.hpp"

namespace peerpath::fabric::engine {

/// The receiving half. Arrivals are told ahead of their time, in the order of their starts on each link.
class Receiver {
 public:
  Receiver(State& state, Queues& queues) : s_{state}, queues_{queues} {}

  /// TLPs of a run that left `fifo` arrive over `x` at an endpoint: `count`, the first at `first`, `spacing` apart.
  void receive(Transmitter& x, const Fifo& fifo, const TlpRun& run, Femto first, Femto spacing, std::int32_t count);

  /// The TLPs of a run come to the gate of `x` at run.e and so on: it becomes the first ones that leave it as a run.
  /// True if these are all; else `rest` is what has still to come to the gate.
  bool pass_gate(Transmitter& x, int tlp_class, TlpRun& run, const Record& record, TlpRun& rest);

  /// Queues the completions of one request of an endpoint; their data is ready at `data_ready`.
  void answer(EndpointState& own, std::uint32_t answer, Femto data_ready, bool from_read_server);
  /// `count` requests of a transaction are over.
  void finish_requests(std::uint32_t record, pcie::Status status, Femto done, std::int32_t count);
  /// Completions have left an endpoint: what waits in its one receive queue may have waited for them.
  void note_left(const Fifo& fifo, EndpointState& own, const Departure& departure);

 private:
  // receiver.cpp
  void receive_passed(Transmitter& x, int tlp_class, const TlpRun& run);
  void receive_posted(Transmitter& x, EndpointState& own, const TlpRun& run);
  void finish_posted(std::uint32_t record, EndpointState& target, Femto done);
  Femto take_in(Transmitter& x, EndpointState& own, int tlp_class, const TlpRun& run, Femto first, Femto spacing,
                std::int32_t count);

  // receive_requests.cpp
  void receive_requests(Transmitter& x, EndpointState& own, const TlpRun& run);
  bool take_in_requests(Transmitter& x, EndpointState& own, const TlpRun& run);
  void take_in_request(Transmitter& x, EndpointState& own, const TlpRun& run, Femto arrival, std::uint64_t address);
  void take_in_misdirected(EndpointState& own, const TlpRun& run, Femto done, std::uint64_t address);
  void queue_whole_steps(EndpointState& own, std::uint32_t index, TlpRun& tlps);

  // receive_completions.cpp
  void receive_completions(Transmitter& x, const TlpRun& run);
  void take_in_stray(const EndpointState& own, std::uint32_t index, Femto done);
  void release_tag(EndpointState& own, Femto when);
  void forget_answer(std::uint32_t index);

  // receive_queue.cpp
  void hold(Transmitter& x, int tlp_class, const TlpRun& run);
  void pass_held(EndpointState& own);
  std::int64_t completions_for(const EndpointState& own, const TlpRun& run) const;

  State& s_;
  Queues& queues_;
};

}  // namespace peerpath::fabric::engine
