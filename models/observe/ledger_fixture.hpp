// A fabric that only has counters, for the tests of the ledger.
#pragma once

#include <array>
#include <vector>

#include "observe/ledger.hpp"

namespace peerpath::observe {

/// rc0 (0) - switch0 (1) - nic0 (2) and gpu0 (3); the last link is written from the far end.
inline fabric::Topology small_topology() {
  fabric::Topology topology;
  topology.nodes = {{"rc0", false, {}, {}}, {"switch0", false, {}, {}}, {"nic0", true, {}, {}}, {"gpu0", true, {}, {}}};
  using fabric::NodeId;
  fabric::LinkDirection direction;
  direction.rate = BitRate{500'000'000'000};
  topology.links = {{NodeId{0}, NodeId{1}, {direction, direction}},
                    {NodeId{1}, NodeId{2}, {direction, direction}},
                    {NodeId{3}, NodeId{1}, {direction, direction}}};
  return topology;
}

inline std::vector<LinkLabel> small_labels() { return {{"Gen5 x16", true}, {"Gen5 x16", true}, {"Gen5 x16", false}}; }

class CountingFabric final : public fabric::Fabric {
 public:
  explicit CountingFabric(const fabric::Topology& topology) : tallies_(topology.links.size()) {
    for (auto& link : tallies_)
      for (auto& side : link) side.resize(topology.nodes.size() * pcie::purposes);
  }

  void carry(std::size_t link, std::size_t direction, std::size_t requester, pcie::Purpose purpose, std::int64_t tlps,
             std::int64_t bytes) {
    auto& tally = tallies_[link][direction][requester * pcie::purposes + static_cast<std::size_t>(purpose)];
    tally.tlps += tlps;
    tally.payload += Bytes{bytes};
    tally.overhead += Bytes{20 * tlps};
  }

  void submit(fabric::NodeId, fabric::ChannelIndex, const fabric::Transaction&) override {}
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  Instant advance(Instant limit) override { return limit; }
  Instant quiet_until() const override { return never; }
  void set_link(fabric::LinkId, bool) override {}
  void set_route(const fabric::Route&) override {}
  void set_timing(fabric::LinkId, int, const fabric::LineTiming&) override {}
  void set_rate(fabric::LinkId, int, BitRate) override {}
  void leak_credits(fabric::LinkId, int, pcie::TlpClass, fabric::Credits) override {}
  void strike(fabric::LinkId, int) override {}
  std::vector<fabric::Waiting> waiting() const override { return {}; }
  fabric::DirectionCounters counters(fabric::LinkId link, int direction) const override {
    fabric::DirectionCounters counters;
    counters.tallies = tallies_[link.value()][static_cast<std::size_t>(direction)];
    return counters;
  }
  void observe(fabric::TlpObserver*) override {}

 private:
  std::vector<std::array<std::vector<fabric::Tally>, 2>> tallies_;
};

}  // namespace peerpath::observe
