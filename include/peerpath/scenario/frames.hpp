// How many frames traffic that ends is made of.
#pragma once

#include <cstdint>
#include <optional>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// Frames whose payloads, taken in turn from `sizes`, are `bytes` together; nothing if no whole number of them is.
inline std::optional<std::int64_t> frames_of(const Traffic& traffic) {
  Bytes round{};
  for (const Bytes size : traffic.sizes) round += size;
  if (round <= Bytes{0}) return std::nullopt;
  std::int64_t frames = traffic.ends_after() / round * static_cast<std::int64_t>(traffic.sizes.size());
  Bytes left = traffic.ends_after() % round;
  for (std::size_t i = 0; left > Bytes{0}; ++i, ++frames) left -= traffic.sizes[i];
  if (left < Bytes{0}) return std::nullopt;
  return frames;
}

/// Payload of the largest TCP segment that a NIC sends: what IPv4, TCP and its timestamps leave of the MTU.
inline Bytes largest_segment(const device::NicConfig& nic) {
  constexpr Bytes ip_and_tcp{52};
  return nic.mtu - ip_and_tcp;
}

}  // namespace peerpath::scenario
