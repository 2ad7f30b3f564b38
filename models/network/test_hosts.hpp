// Hosts of tests: packets at given times or as fast as they go, and what arrives is noted.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "network/network.hpp"

namespace peerpath::network::testing {

struct Arrival {
  HostIndex host = 0;
  Packet packet{};
  Instant when{};
};

/// A source of `count` equal packets (no end if negative), back to back or paced by `gaps`.
struct Source {
  HostIndex from = 0, to = 0;
  std::int32_t bytes = 1000;
  std::uint8_t priority = 3;
  std::int64_t count = -1;
  std::uint32_t hash = 0;
  std::uint32_t qp = 0;
};

class TestHosts final : public Hosts {
 public:
  std::vector<Source> sources;
  std::vector<Arrival> arrivals;
  std::vector<std::int64_t> received;  ///< bytes by source
  std::deque<std::pair<HostIndex, Packet>> queued;
  std::int64_t sent = 0;
  bool keep = true;

  bool next(HostIndex host, std::uint8_t open, Instant, Packet& packet) override {
    if (!queued.empty() && queued.front().first == host) {
      packet = queued.front().second;
      queued.pop_front();
      return ++sent > 0;
    }
    // Sources of one host take turns.
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto& s = sources[(turn_ + i) % sources.size()];
      if (s.from != host || s.count == 0 || !(open >> s.priority & 1)) continue;
      const auto number = (turn_ + i) % sources.size();
      turn_ = number + 1;
      --s.count;
      packet.source = s.from;
      packet.destination = s.to;
      packet.bytes = s.bytes;
      packet.priority = s.priority;
      packet.flow_hash = s.hash;
      packet.destination_qp = s.qp;
      packet.ecn_capable = true;
      packet.cargo[0] = number;
      return ++sent > 0;
    }
    return false;
  }
  void arrived(HostIndex host, const Packet& packet, Instant now) override {
    received.resize(sources.size() + 1);
    received[packet.cargo[0]] += packet.bytes;
    if (keep) arrivals.push_back({host, packet, now});
    ++arrived_;
  }
  void woken(std::uint32_t, std::uint64_t, Instant now) override {
    if (on_wake) on_wake(now);
  }
  std::int64_t arrived_count() const { return arrived_; }
  std::function<void(Instant)> on_wake;

 private:
  std::size_t turn_ = 0;
  std::int64_t arrived_ = 0;
};

inline void start(Network& network, HostIndex hosts) {
  for (HostIndex h = 0; h < hosts; ++h) network.ready(h, Instant{});
}

inline std::int64_t dropped(const Network& network) {
  std::int64_t sum = 0;
  for (PortIndex p = 0; p < 2 * network.cables(); ++p) sum += network.port(p).counters.dropped;
  return sum;
}

/// Hosts around one switch.
inline Graph star(int hosts, BitRate rate = BitRate{100'000'000'000}, Duration delay = std::chrono::nanoseconds{500}) {
  Graph graph;
  const auto middle = graph.add_switch("sw");
  for (int h = 0; h < hosts; ++h) graph.connect(graph.add_host("h" + std::to_string(h)), middle, rate, delay);
  return graph;
}

}  // namespace peerpath::network::testing
