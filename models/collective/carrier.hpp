// Who carries the messages of a collective.
#pragma once

#include <functional>

#include "network/graph.hpp"
#include "network/packet.hpp"

namespace peerpath::collective {

using network::HostIndex;
using ChannelIndex = std::uint32_t;  ///< one end of a reliable channel; the other end is `channel ^ 1`

/// Reliable channels between hosts that deliver messages in order: queue pairs packet by packet, or flows.
struct Carrier {
  /// Joins two hosts; returns the end at `a`. Messages of an urgent channel go before all others.
  std::function<ChannelIndex(HostIndex a, HostIndex b, bool urgent)> connect;
  /// Sends a message. The owner of the carrier tells the player when it has arrived at the other end.
  std::function<void(ChannelIndex channel, Bytes bytes, Instant now)> post;
};

}  // namespace peerpath::collective
