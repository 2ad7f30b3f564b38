// What two bound ports have between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "peerpath/fabric/topology.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::platform {

/// A PCIe link, or (`internal`) the way inside a root complex, which is wide, short and never the limit.
struct LinkConfig {
  pcie::LinkShape shape{};
  pcie::DllpAccounting dllp = pcie::DllpAccounting::counted;
  double link_share = 1.0;
  Duration propagation = std::chrono::nanoseconds{10};
  Duration update_fc = std::chrono::nanoseconds{60};
  std::optional<Duration> ack_interval{}, update_fc_interval{};  ///< instead of what the shape gives
  Bytes tlp_gap{};  ///< line time left idle after each TLP; `bind` gives it to the end that it is called with
  double bit_error_rate = 0;
  Duration replay_delay{};
  std::array<fabric::Credits, pcie::tlp_classes> credits{{{128, 2048}, {128, 128}, {0, 0}}};  ///< by TlpClass
  std::uint8_t vc1_classes = 0;  ///< traffic classes that go by VC 1, a bit each; 0: there is none
  std::array<fabric::Credits, pcie::tlp_classes> vc1_credits{};
  fabric::VcArbitration vc_arbitration{};
  bool internal = false;
  /// Of a link between sockets, which is no PCIe link: the rate of each direction. It carries TLPs without framing, and
  /// nothing but `propagation` besides counts.
  BitRate inter_socket{};
  /// Which bit errors it has of the seed's: links of the same number have the same. None: by the order of all links.
  /// (Of the config that `bind` is given; it gives each end one of its own.)
  std::optional<std::uint32_t> error_sequence{};
};

/// Each direction of such a link. `max_payload` is the MPS of the hierarchy, which sets how often it is acknowledged.
fabric::LinkDirection link_direction(const LinkConfig& config, Bytes max_payload);

}  // namespace peerpath::platform
