// Messages of a collective as RDMA writes.
#pragma once

#include "collective/carrier.hpp"
#include "transport/roce/fleet.hpp"

namespace peerpath::collective {

/// A channel is a reliable connection, a message a write with immediate. The fleet outlives the carrier.
inline Carrier over(roce::Fleet& fleet) {
  return {.connect = [&fleet](HostIndex a, HostIndex b, bool urgent) { return fleet.connect(a, b, urgent); },
          .post =
              [&fleet](ChannelIndex channel, Bytes bytes, Instant now) {
                fleet.post(channel,
                           {.work = roce::Work::write_immediate, .length = static_cast<std::uint32_t>(bytes.count())},
                           now);
              }};
}

}  // namespace peerpath::collective
