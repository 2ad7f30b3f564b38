// Endpoints below one switch, and what happens between them in nanoseconds, for tests at times computed by hand. Lines
// run at 1 B/ns (8 Gb/s) without framing; propagation is 10 ns, the switch takes 100 ns.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fabric/reference/event_reference.hpp"

namespace peerpath::fabric::test {

using namespace literals;
using namespace std::chrono_literals;
using pcie::Operation;
using pcie::Status;

inline constexpr ChannelIndex own{1}, second{2};

inline Instant at(Duration t) { return Instant{t}; }
inline std::int64_t ns(Instant t) { return femtoseconds(t) / 1'000'000; }

inline LinkDirection line() { return {.rate = 8_Gbps, .framing = 0_B, .propagation = 10ns, .update_fc = 50ns}; }

/// a and b below one switch; their links are 0 and 1, direction 0 towards the switch.
struct Pair : DeliverySink, TlpObserver {
  Topology t;
  NodeId a, b, c, node;
  std::vector<Delivery> deliveries;
  std::vector<TlpRecord> tlps;
  std::unique_ptr<EventReference> fabric;

  Pair() {
    node = t.add_router("switch", {100ns});
    Endpoint e;
    e.max_payload = 128_B;
    e.max_read_request = 128_B;
    e.max_completion = 128_B;
    e.channels = 2;
    e.completion_timeout = 5us;
    a = t.add_endpoint("a", e);
    b = t.add_endpoint("b", e);
    c = t.add_endpoint("c", e);
    for (const NodeId n : {a, b, c}) t.connect(n, node, line(), line());
  }

  Endpoint& endpoint(NodeId n) { return t.nodes[n.value()].endpoint; }
  LinkDirection& up(int link) { return t.links[static_cast<std::size_t>(link)].direction[0]; }
  LinkDirection& down(int link) { return t.links[static_cast<std::size_t>(link)].direction[1]; }

  EventReference& go() {
    EXPECT_TRUE(validate(t).empty());
    fabric = std::make_unique<EventReference>(t, *this);
    fabric->observe(this);
    return *fabric;
  }
  void deliver(const Delivery& d) override { deliveries.push_back(d); }
  void observe(const TlpRecord& r) override { tlps.push_back(r); }

  Transaction write(Bytes bytes, Duration ready = {}) {
    Transaction w;
    w.target = b;
    w.bytes = bytes;
    w.ready = at(ready);
    return w;
  }
  Transaction read(Bytes bytes, Duration ready = {}) {
    Transaction r = write(bytes, ready);
    r.op = Operation::memory_read;
    return r;
  }
  void finish() { fabric->advance(at(1ms)); }

  /// Starts in nanoseconds on one direction.
  std::vector<std::int64_t> starts(int link, int direction) const {
    std::vector<std::int64_t> all;
    for (const TlpRecord& r : tlps)
      if (r.link == LinkId{static_cast<std::uint16_t>(link)} && r.direction == direction) all.push_back(ns(r.start));
    return all;
  }
  std::vector<std::int64_t> done() const {
    std::vector<std::int64_t> all;
    for (const Delivery& d : deliveries) all.push_back(ns(d.done));
    return all;
  }
};

using Times = std::vector<std::int64_t>;

}  // namespace peerpath::fabric::test
