// Who carries the messages of a collective.
#pragma once

#include <functional>

#include "network/graph.hpp"
#include "network/packet.hpp"

namespace peerpath::collective {

using network::HostIndex;
using ChannelIndex = std::uint32_t;  ///< one end of a reliable channel; the other end is `channel ^ 1`

/// Reliable channels between hosts: queue pairs packet by packet, or flows. The owner of the carrier tells the player
/// when a message has arrived at the other end, and when its own end has heard of that (if the player waits for it),
/// each with the number that came with the message. Messages of a channel leave in the order in which they are posted.
struct Carrier {
  /// Numbers for so many channels; returns the first.
  std::function<ChannelIndex(std::size_t channels)> reserve;
  /// Joins two hosts under a reserved number, that of the end at `a`. Messages of an urgent channel go before all
  /// others.
  std::function<void(ChannelIndex channel, HostIndex a, HostIndex b, bool urgent)> open;
  std::function<void(ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now)> post;
  /// The end has posted, or got, the last that it ever will. None: the carrier does not care.
  std::function<void(ChannelIndex end)> rest{};
  /// Whether what this host does is played here.
  std::function<bool(HostIndex host)> owns;
};

}  // namespace peerpath::collective
