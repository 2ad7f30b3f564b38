// The transmitters: whose turn it is, what a start takes, and where the TLP goes.
#pragma once

#include "fabric/reference/endpoints.hpp"

namespace peerpath::fabric::reference {

class Senders {
 public:
  Senders(State& state, Queues& queues, Endpoints& endpoints) : state_{state}, queues_{queues}, endpoints_{endpoints} {}

  void arbitrate_all();
  void return_credits(std::uint32_t index, std::uint8_t pool, int units);

 private:
  void arbitrate(std::uint32_t index);
  bool start_one(std::uint32_t index, std::size_t channel, bool& stalled);
  bool goes_before(const Transmitter::Channel& turns, std::size_t slot, std::size_t other) const;
  void pass_turn(Transmitter& t, std::size_t slot, std::size_t channel);
  void start(std::uint32_t index, std::uint8_t pool, std::size_t slot);
  void account(Transmitter& t, const Tlp& tlp, Instant begin, Duration ser);
  void forward(Transmitter& t, std::uint32_t index, std::uint8_t pool, Tlp* tlp, Instant begin);
  static Instant through_gate(const LinkDirection& direction, const Tlp& tlp, Instant at);
  void cause_dllps(Transmitter& t, Instant arrival);

  State& state_;
  Queues& queues_;
  Endpoints& endpoints_;
};

}  // namespace peerpath::fabric::reference
