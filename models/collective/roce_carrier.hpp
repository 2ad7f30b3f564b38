// Messages of a collective as RDMA writes.
#pragma once

#include "collective/carrier.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::collective {

/// A channel is a reliable connection, a message a write whose immediate is its number; the work request has it as its
/// id. The fleet outlives the carrier.
inline Carrier over(roce::Fleet& fleet) {
  return {.reserve = [&fleet](std::size_t channels) { return fleet.reserve(channels); },
          .open = [&fleet](ChannelIndex channel, HostIndex a, HostIndex b,
                           bool urgent) { fleet.open(channel, a, b, urgent); },
          .post =
              [&fleet](ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now) {
                fleet.post(channel,
                           {.id = number,
                            .work = roce::Work::write_immediate,
                            .length = static_cast<std::uint32_t>(bytes.count()),
                            .immediate = number},
                           now);
              },
          .rest = [&fleet](ChannelIndex end) { fleet.rest(end); },
          .owns = [&fleet](HostIndex host) { return fleet.owns(host); }};
}

}  // namespace peerpath::collective
