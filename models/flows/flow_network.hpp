// Flows over links that they share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "peerpath/base/units.hpp"

namespace peerpath::flows {

using FlowIndex = std::uint32_t;
using LinkIndex = std::uint32_t;

/// Flows in progress share each link max-min fairly: none gets more by taking from one that has as little (the fluid
/// model of SimGrid, CM02 without its factors for TCP; P. Velho et al., ACM TOMACS 23, 2013). Times are whole
/// nanoseconds.
class FlowNetwork {
 public:
  virtual ~FlowNetwork() = default;

  /// Starts a flow over links, each named once. Its number is free again when it has ended.
  virtual void start(FlowIndex flow, std::span<const LinkIndex> way, Bytes bytes) = 0;
  /// Takes a flow out; returns the bytes that it has left. `ended` is not called for it.
  virtual Bytes stop(FlowIndex flow) = 0;
  virtual void wake(Instant when, std::uint64_t detail) = 0;
  /// Until that time, or until nothing is left to happen.
  virtual void run(Instant until) = 0;
  virtual bool idle() const = 0;

  std::function<void(FlowIndex flow, Instant now)> ended{};
  std::function<void(std::uint64_t detail, Instant now)> woken{};
};

/// Links of these rates. One network at a time in a process; nothing where peerpath was built without SimGrid.
std::unique_ptr<FlowNetwork> make_flow_network(std::span<const BitRate> links);

}  // namespace peerpath::flows
