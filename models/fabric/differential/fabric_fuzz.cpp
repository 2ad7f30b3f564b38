// Any transactions and any misfortunes of links, on a tree of some seed: the computed fabric must end, break no rule of
// the protocol, and agree with the event-driven reference.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>

#include "fabric/differential/driver.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::fabric;

/// Numbers from the input, 0 after its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_{data, size} {}
  bool empty() const { return left_.empty(); }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && i < left_.size(); ++i) value |= std::uint64_t{left_[i]} << (8 * i);
    left_ = left_.subspan(std::min(bytes, left_.size()));
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

/// Another address, size, time and other flags for one of the planned transactions; its kind and ends stay.
void change_transaction(Input& in, differential::Scenario& scenario) {
  if (scenario.planned.empty()) return;
  Transaction& t = scenario.planned[in.number(2) % scenario.planned.size()].transaction;
  const auto flags = in.number(1);
  t.relaxed_ordering = (flags & 1) != 0;
  t.id_based_ordering = (flags & 2) != 0;
  t.translated = (flags & 4) != 0;
  t.notify_target = (flags & 8) != 0;
  t.notify_requester = (flags & 16) != 0;
  t.traffic_class = static_cast<std::uint8_t>(flags >> 6);
  t.spoofed = flags % 7 == 0;  // all eight bits are taken
  t.ready = Instant{} + std::chrono::nanoseconds{in.number(2)};
  const auto above_4_gib = (flags & 32) != 0 ? std::uint64_t{1} << 32 : 0;
  if (t.op != pcie::Operation::memory_write && t.op != pcie::Operation::memory_read) return;
  t.address = above_4_gib + in.number(3);
  t.bytes = Bytes{static_cast<std::int64_t>(in.number(2) % 16385)};
}

/// Another rate or shape, lost credits or a bit error.
void change_link(Input& in, differential::Scenario& scenario) {
  differential::Change change;
  change.at = Instant{} + std::chrono::nanoseconds{in.number(2)};
  change.kind = static_cast<differential::Change::Kind>(in.number(1) % 4);
  change.link = LinkId{static_cast<std::uint16_t>(in.number(1) % scenario.topology.links.size())};
  change.direction = static_cast<int>(in.number(1) % 2);
  change.tlp_class = static_cast<pcie::TlpClass>(in.number(1) % pcie::tlp_classes);
  change.rate = BitRate{1'000'000'000 * static_cast<std::int64_t>(1 + in.number(1) * 4)};
  change.timing = {change.rate, Bytes{static_cast<std::int64_t>(in.number(1) % 2 * 8)},
                   std::chrono::nanoseconds{in.number(1)}, std::chrono::nanoseconds{in.number(1)}};
  change.lost = {static_cast<int>(in.number(1)), static_cast<int>(in.number(1))};
  scenario.changes.push_back(change);
}

void cut_link(Input& in, differential::Scenario& scenario) {
  const Instant at = Instant{} + std::chrono::nanoseconds{in.number(2)};
  const LinkId link{static_cast<std::uint16_t>(in.number(1) % scenario.topology.links.size())};
  scenario.faults.push_back({at, link, false});
  scenario.faults.push_back({at + std::chrono::nanoseconds{in.number(2)}, link, true});
}

differential::Make make(Mode mode) {
  return [mode](const Topology& topology, DeliverySink& sink) { return make_fabric(topology, sink, mode); };
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in{data, size};
  auto scenario = differential::generate(in.number(4));
  // Small, so that many can be tried.
  scenario.planned.resize(std::min<std::size_t>(scenario.planned.size(), 60));
  for (auto& exchange : scenario.exchanges) exchange.rounds = std::min(exchange.rounds, 20);
  scenario.quantum = std::max<Duration>(scenario.quantum, std::chrono::nanoseconds{100});
  while (!in.empty()) {
    switch (in.number(1) % 4) {
      case 0:
        change_link(in, scenario);
        break;
      case 1:
        cut_link(in, scenario);
        break;
      default:
        change_transaction(in, scenario);
    }
  }
  const auto by_time = [](const auto& x, const auto& y) { return x.at < y.at; };
  std::ranges::stable_sort(scenario.changes, by_time);
  std::ranges::stable_sort(scenario.faults, by_time);
  std::ranges::stable_sort(scenario.planned, {}, [](const auto& p) { return p.transaction.ready; });
  for (std::size_t n = 0; n < scenario.planned.size(); ++n) scenario.planned[n].transaction.cookie = n;
  const auto expected = differential::play(scenario, make(Mode::event), true);
  const auto got = differential::play(scenario, make(Mode::train), true);
  if (differential::difference(expected, got).empty() && expected.broken.empty() && got.broken.empty()) return 0;
  std::cerr << expected.broken << got.broken << differential::difference(expected, got)
            << differential::describe(scenario);
  std::abort();
}
