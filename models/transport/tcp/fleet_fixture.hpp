// Hosts with TCP around one switch, for tests.
#pragma once

#include <map>
#include <string>

#include "transport/tcp/fleet.hpp"

namespace peerpath::tcp::testing {

using namespace std::chrono_literals;

inline network::Graph star(int hosts, BitRate rate) {
  network::Graph graph;
  const auto middle = graph.add_switch("sw");
  for (int h = 0; h < hosts; ++h) graph.connect(graph.add_host("h" + std::to_string(h)), middle, rate, 500ns);
  return graph;
}

inline FleetConfig free_of_cost() {
  FleetConfig config;
  config.host.packet_cost = config.host.segment_cost = config.host.syscall_cost = Duration{};
  return config;
}

struct Rig {
  Rig(int hosts, BitRate rate, const FleetConfig& config, const network::SwitchConfig& switches = {})
      : fleet{config, 1}, network{star(hosts, rate), switches, 1, fleet} {
    fleet.attach(network);
    fleet.taken = [this](EndIndex end, std::int64_t bytes, Instant) { taken[end] += bytes; };
    fleet.completed = [this](EndIndex end, Instant now) {
      if (end % 2 == 1) done[end] = now;  // clients get no data
    };
  }
  EndIndex send(HostIndex a, HostIndex b, std::int64_t bytes, const Consumer& consumer = {}) {
    const auto end = fleet.connect(a, b, consumer);
    fleet.open(end, bytes, true, Instant{});
    return end ^ 1;
  }
  std::int64_t all() const {
    std::int64_t sum = 0;
    for (const auto& [end, bytes] : taken) sum += bytes;
    return sum;
  }

  Fleet fleet;
  network::Network network;
  std::map<EndIndex, std::int64_t> taken;
  std::map<EndIndex, Instant> done;
};

inline double gbps(std::int64_t bytes, Duration time) {
  return static_cast<double>(bytes) * 8e6 / static_cast<double>(time.count());
}

}  // namespace peerpath::tcp::testing
