#include "platform/network/arrivals.hpp"

#include <algorithm>
#include <set>

#include "peerpath/base/random.hpp"
#include "peerpath/net/ethernet.hpp"
#include "scenario/network/message_sizes.hpp"
#include "scenario/network/names.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::network_run {

using namespace network_scenario;

std::vector<Arrival> arrivals(const Rdma& entry, const network::Graph& graph, Instant begin, Instant end, int seed) {
  std::vector<Arrival> all;
  const auto to = hosts_of(graph, entry.to);
  const auto mean = mean_size(entry.sizes, entry.size);
  for (const auto from : hosts_of(graph, entry.from)) {
    Random random{static_cast<std::uint64_t>(seed), entry.name + " from " + std::to_string(from)};
    const auto bps = static_cast<double>(rate_of_host(graph, from).bps()) * entry.load / 100;
    // Wide: a small load makes gaps that no run is as long as.
    const auto gap = static_cast<WideInt>(mean.count()) * 8 * 1'000'000'000'000'000 /
                     std::max<std::int64_t>(1, static_cast<std::int64_t>(bps));
    for (auto at = begin;;) {
      const auto drawn = gap * static_cast<WideInt>(exponential_q32(random.next())) >> 32;
      if (drawn >= (end - at).count()) break;
      at += Duration{static_cast<std::int64_t>(drawn)};
      auto other = from;
      while (other == from) other = to[random.below(to.size())];
      all.push_back({at, from, other, draw_size(entry.sizes, entry.size, random)});
    }
  }
  std::ranges::stable_sort(all, {}, &Arrival::at);
  return all;
}

const network::Routes& Alone::routes() {
  if (!routes_) routes_.emplace(graph_);
  return *routes_;
}

const std::vector<Alone::Way>& Alone::ways(Pair pair) {
  auto [found, fresh] = ways_.try_emplace(pair);
  if (!fresh) return found->second;
  std::map<network::NodeIndex, std::set<Way>> here{{graph_.hosts[pair.first], {Way{}}}};
  const auto end = graph_.hosts[pair.second];
  while (!here.empty() && !here.contains(end)) {  // all are as long as each other
    std::map<network::NodeIndex, std::set<Way>> next;
    for (const auto& [node, before] : here)
      for (const auto port : routes().towards(node, pair.second)) {
        const auto& cable = graph_.cables[port / 2];
        for (auto way : before) {
          way.push_back({cable.rate, cable.delay});
          next[graph_.node_of(network::Graph::peer(port))].insert(std::move(way));
        }
      }
    here = std::move(next);
  }
  found->second.assign(here[end].begin(), here[end].end());
  return found->second;
}

Alone::Train Alone::train(Bytes size, roce::Work work) const {
  using roce::Operation;
  const auto wire = [](Operation operation, std::int64_t payload) {
    roce::Packet packet;
    packet.opcode = roce::opcode(roce::Service::reliable_connection, operation);
    packet.length = static_cast<std::uint32_t>(payload);
    return net::wire_size(Bytes{static_cast<std::int64_t>(roce::frame_size(packet))});
  };
  const bool sends = work == roce::Work::send;
  const auto whole = (size.count() - 1) / mtu_;
  const auto last = [&] {
    if (work == roce::Work::write_immediate)
      return whole > 0 ? Operation::write_last_immediate : Operation::write_only_immediate;
    if (whole > 0) return Operation::write_last;
    return sends ? Operation::send_only : Operation::write_only;
  }();
  return {wire(sends ? Operation::send_first : Operation::write_first, mtu_), wire(Operation::write_middle, mtu_),
          wire(last, size.count() - whole * mtu_), whole};
}

/// From the first bit of the first packet to the last of the last.
Duration Alone::along(const Way& way, const Train& train) const {
  std::vector<Instant> free(way.size());
  const auto carry = [&](Bytes wire) {
    Instant ready{};
    for (std::size_t h = 0; h < way.size(); ++h) {
      const auto start = std::max(free[h], ready);
      free[h] = start + wire / way[h].rate;
      ready = start + (wire - net::gap) / way[h].rate + way[h].delay;
      if (h + 1 < way.size()) ready += config_.latency;
    }
    return ready;
  };
  constexpr std::int64_t settled = 32;  // packets, after which each cable sends one behind the other
  for (std::int64_t n = 0; n < std::min(train.whole, settled); ++n) carry(n > 0 ? train.middle : train.first);
  if (train.whole > settled) {
    const auto before = free;
    carry(train.middle);
    for (std::size_t h = 0; h < free.size(); ++h) free[h] = before[h] + (free[h] - before[h]) * (train.whole - settled);
  }
  return carry(train.last) - Instant{};
}

Duration Alone::fastest(Pair pair, const Train& train) {
  auto least = Duration::max();
  for (const auto& way : ways(pair)) least = std::min(least, along(way, train));
  return least;
}

/// Each packet in turn takes the ports by which it is there first, behind those before it.
Duration Alone::sprayed(Pair pair, const Train& train) {
  struct Come {
    Instant ready{};  ///< when it may leave the node
    network::PortIndex by = 0;
  };
  std::map<network::PortIndex, Instant> free;
  const auto begin = graph_.hosts[pair.first], end = graph_.hosts[pair.second];
  Instant all{};
  for (std::int64_t n = 0; n <= train.whole; ++n) {
    const auto wire = n == train.whole ? train.last : n > 0 ? train.middle : train.first;
    std::map<network::NodeIndex, Come> came{{begin, {}}}, here = came;
    while (!here.empty() && !here.contains(end)) {
      std::map<network::NodeIndex, Come> next;
      for (const auto& [node, come] : here)
        for (const auto port : routes().towards(node, pair.second)) {
          const auto& cable = graph_.cables[port / 2];
          const auto to = graph_.node_of(network::Graph::peer(port));
          const auto in = std::max(free[port], come.ready) + (wire - net::gap) / cable.rate + cable.delay +
                          (to == end ? Duration{} : config_.latency);
          const auto [found, fresh] = next.try_emplace(to, Come{in, port});
          if (!fresh && in < found->second.ready) found->second = {in, port};
        }
      came.insert(next.begin(), next.end());
      here = std::move(next);
    }
    for (auto node = end; node != begin;) {
      const auto port = came.at(node).by;
      node = graph_.node_of(port);
      free[port] = std::max(free[port], came.at(node).ready) + wire / graph_.cables[port / 2].rate;
    }
    all = std::max(all, came.at(end).ready);
  }
  return all - Instant{};
}

Duration Alone::latency(network::HostIndex from, network::HostIndex to, Bytes size, roce::Work work) {
  if (ways({from, to}).empty()) return {};
  roce::Packet acknowledge;
  acknowledge.opcode = roce::opcode(roce::Service::reliable_connection, roce::Operation::acknowledge);
  const auto back = net::wire_size(Bytes{static_cast<std::int64_t>(roce::frame_size(acknowledge))});
  const auto there = train(size, work);
  const bool spreads = config_.path == network::PathChoice::spray && there.whole > 0;
  return (spreads ? sprayed({from, to}, there) : fastest({from, to}, there)) + fastest({to, from}, {.last = back});
}

}  // namespace peerpath::network_run
