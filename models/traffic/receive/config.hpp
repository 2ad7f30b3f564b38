// Options of traffic that a NIC receives.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "traffic/network/config.hpp"

namespace peerpath::scenario::traffic {

/// Frames arrive at a NIC and go to host or GPU memory.
struct Receive : Network {
  static constexpr std::string_view name = "receive";
  Bytes bytes{};
  std::string capture;
  double time_scale = 1.0;
  std::optional<std::string> sender{};

  /// Whether the sender gives what this entry has under `key`.
  bool is_of_sender(std::string_view key) const { return sender && key == "time_scale"; }

  static constexpr auto fields() {
    return std::tuple_cat(
        Network::fields(),
        std::tuple{
            field("bytes", &Receive::bytes,
                  "payload after which the entry ends, a whole number of frames; the run ends when all entries have "
                  "ended. 0B: the entry does not end")
                .at_least(0_B),
            field("capture", &Receive::capture,
                  "pcap or pcapng file whose frames are replayed in place of generated ones"),
            field("time_scale", &Receive::time_scale,
                  "factor applied to the capture's timestamps: 2 replays at half speed")
                .at_least(0.000001)
                .at_most(1000000.0),
            field("sender", &Receive::sender,
                  "transmit entry at the other end of the NIC's cable that supplies the frames; rate, sizes, flows, "
                  "arrival and burst are taken from it and must not be set here. Absent: frames are generated")});
  }
};

}  // namespace peerpath::scenario::traffic
