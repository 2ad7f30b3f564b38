// The trait of the kind receive.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "peerpath/net/ethernet.hpp"
#include "traffic/network/kind.hpp"
#include "traffic/receive/config.hpp"

namespace peerpath::scenario::traffic {

inline constexpr auto stages_of_receive = with_network_stages(
    {"stage", "pipeline", "parsing in the NIC.", "the last bit of the frame arrives", "it has been parsed"});

template <>
struct Kind<Receive> : NetworkKind {
  static constexpr bool writes = true;
  static constexpr bool waits_at_source = false;
  static Bytes at_rate(const Receive&, Bytes payload) { return net::wire_size(segment_headers + payload); }
  static Bytes ends_after(const Receive& receive) { return receive.bytes; }
  static std::string_view capture(const Receive& receive) { return receive.capture; }
  static std::optional<std::string> sender(const Receive& receive) { return receive.sender; }
  static bool is_of_sender(const Receive& receive, std::string_view key) { return receive.is_of_sender(key); }
  static void complete(Receive& receive, Scenario& scenario, const Tree& tree, std::size_t entry);
  static std::span<const StageText> stages() { return stages_of_receive; }
  static void check_all(TrafficCheck& check);
  static void plan_window(const Receive& receive, const Scenario& scenario, std::size_t entry, Bar1Plan& plan);
  static constexpr Bytes segment_headers{66};  ///< Ethernet, IPv4, TCP with timestamps

  static void check(const Receive& receive, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
