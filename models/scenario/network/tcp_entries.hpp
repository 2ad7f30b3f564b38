// TCP of a network scenario: who sends how much to whom, and what becomes of it there.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "transport/tcp/config.hpp"
#include "transport/tcp/host_config.hpp"

namespace peerpath::network_scenario {

/// Connections from hosts to hosts, all alike.
struct Tcp {
  std::string name;
  std::vector<std::string> from{}, to{};
  int connections = 1;
  Bytes bytes{};
  Duration start{}, stagger{};
  tcp::Consumer consumer{};
  Duration keep_at{}, keep_for{};

  static constexpr auto fields() {
    using C = Tcp;
    using std::chrono::seconds;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("from", &C::from, "Hosts that open connections and send; h0..h7 names eight"),
        field("to", &C::to, "Hosts that receive: one, or as many as `from` to form pairs"),
        field("connections", &C::connections, "TCP connections per pair of hosts").at_least(1).at_most(1024),
        field("bytes", &C::bytes, "Bytes that a connection sends before it closes; 0B: unlimited")
            .at_least(Bytes{})
            .at_most(Bytes{std::int64_t{1} << 40}),
        field("start", &C::start, "Time at which the first connection opens").at_most(seconds{10}),
        field("stagger", &C::stagger, "Time between the starts of two connections").at_most(seconds{1}),
        field("consumer", &C::consumer, "Receiving application"),
        field("keep_at", &C::keep_at, "Time from which the application stops returning memory, for `keep_for`")
            .at_most(seconds{10}),
        field("keep_for", &C::keep_for, "Duration for which the application returns no memory; 0ns: it always does")
            .at_most(seconds{10})};
  }
};

}  // namespace peerpath::network_scenario
