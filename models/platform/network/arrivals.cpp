#include "platform/network/arrivals.hpp"

#include <algorithm>
#include <set>
#include <span>

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

/// Hops from each node on the shortest ways to the other host, those nearer to this host first.
std::vector<std::pair<network::NodeIndex, std::span<const network::PortIndex>>> Alone::hops(Pair pair) {
  std::vector<std::pair<network::NodeIndex, std::span<const network::PortIndex>>> hops;
  std::set<network::NodeIndex> here{graph_.hosts[pair.first]};
  while (!here.contains(graph_.hosts[pair.second])) {
    std::set<network::NodeIndex> next;
    for (const auto node : here) {
      hops.emplace_back(node, routes().towards(node, pair.second));
      for (const auto port : hops.back().second) next.insert(graph_.node_of(network::Graph::peer(port)));
    }
    here = std::move(next);
  }
  return hops;
}

/// Each packet takes the port by which it is at the other host first, behind those that came to its switch before it.
Duration Alone::sprayed(Pair pair, const Train& train) {
  struct Sent {
    Bytes wire{};
    Instant ready{};  ///< to leave the node
  };
  const auto end = graph_.hosts[pair.second];
  const auto hops = this->hops(pair);
  const auto target = [&](network::PortIndex port) { return graph_.node_of(network::Graph::peer(port)); };
  const auto over = [&](network::PortIndex port, Bytes wire) {
    const auto& cable = graph_.cables[port / 2];
    return (wire - net::gap) / cable.rate + cable.delay + (target(port) == end ? Duration{} : config_.latency);
  };
  std::map<Bytes, std::map<network::NodeIndex, Duration>> rest;  // by packet: from a node on, if nothing else is there
  for (const auto wire : {train.first, train.middle, train.last}) {
    auto& from = rest[wire];
    from[end] = Duration{};
    for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
      auto& least = from[hop->first] = Duration::max();
      for (const auto port : hop->second) least = std::min(least, over(port, wire) + from.at(target(port)));
    }
  }
  std::map<network::NodeIndex, std::vector<Sent>> at;
  for (std::int64_t n = 0; n <= train.whole; ++n)
    at[hops.front().first].push_back({n == train.whole ? train.last : n > 0 ? train.middle : train.first, Instant{}});
  for (const auto& hop : hops) {
    const auto& ports = hop.second;
    auto packets = std::move(at[hop.first]);
    std::ranges::stable_sort(packets, {}, &Sent::ready);
    std::vector<Instant> free(ports.size());
    for (const auto& packet : packets) {
      const auto there = [&](std::size_t p) {
        return std::max(free[p], packet.ready) + over(ports[p], packet.wire) + rest[packet.wire][target(ports[p])];
      };
      std::size_t best = 0;
      for (std::size_t p = 1; p < ports.size(); ++p)
        if (there(p) < there(best)) best = p;
      const auto start = std::max(free[best], packet.ready);
      free[best] = start + packet.wire / graph_.cables[ports[best] / 2].rate;
      at[target(ports[best])].push_back({packet.wire, start + over(ports[best], packet.wire)});
    }
  }
  return std::ranges::max(at[end], {}, &Sent::ready).ready - Instant{};
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
