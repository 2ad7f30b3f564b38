#include "platform/network/arrivals.hpp"

#include <algorithm>
#include <deque>

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

/// Numbers of cables from each node to the host.
const std::vector<int>& Alone::hops_to(network::HostIndex to) {
  auto [found, fresh] = hops_.try_emplace(to);
  auto& hops = found->second;
  if (!fresh) return hops;
  hops.assign(graph_.nodes.size(), -1);
  std::deque<network::NodeIndex> open{graph_.hosts[to]};
  hops[open.front()] = 0;
  for (; !open.empty(); open.pop_front())
    for (const auto& cable : graph_.cables)
      for (const auto& [a, b] : {std::pair{cable.a, cable.b}, std::pair{cable.b, cable.a}})
        if (a == open.front() && hops[b] < 0) {
          hops[b] = hops[a] + 1;
          open.push_back(b);
        }
  return hops;
}

const Alone::Way& Alone::way(network::HostIndex from, network::HostIndex to) {
  auto [found, fresh] = ways_.try_emplace({from, to});
  auto& way = found->second;
  if (!fresh) return way;
  const auto& hops = hops_to(to);
  for (auto at = graph_.hosts[from]; hops[at] > 0;) {
    const auto next = [&](const network::Cable& c) {
      return (c.a == at && hops[c.b] == hops[at] - 1) || (c.b == at && hops[c.a] == hops[at] - 1);
    };
    const auto cable = std::ranges::find_if(graph_.cables, next);
    way.push_back(&*cable);
    at = cable->a == at ? cable->b : cable->a;
  }
  return way;
}

Duration Alone::latency(network::HostIndex from, network::HostIndex to, Bytes size, roce::Work work) {
  const auto& cables = way(from, to);
  std::vector<Instant> free(cables.size());
  /// When the last bit of a frame is in that is sent at `ready`.
  const auto carry = [&](roce::Operation operation, std::int64_t payload, Instant ready) {
    roce::Packet packet;
    packet.opcode = roce::opcode(roce::Service::reliable_connection, operation);
    packet.length = static_cast<std::uint32_t>(payload);
    const auto wire = net::wire_size(Bytes{static_cast<std::int64_t>(roce::frame_size(packet))});
    for (std::size_t c = 0; c < cables.size(); ++c) {
      const auto start = std::max(free[c], ready);
      free[c] = start + wire / cables[c]->rate;
      ready = start + (wire - net::gap) / cables[c]->rate + cables[c]->delay;
      if (c + 1 < cables.size()) ready += switch_latency_;
    }
    return ready;
  };
  using roce::Operation;
  const bool sends = work == roce::Work::send;
  const auto whole = (size.count() - 1) / mtu_;
  constexpr std::int64_t settled = 32;  // frames, after which each cable sends one behind the other
  for (std::int64_t n = 0; n < std::min(whole, settled); ++n)
    carry(n > 0 ? Operation::write_middle : sends ? Operation::send_first : Operation::write_first, mtu_, Instant{});
  if (whole > settled) {
    const auto before = free;
    carry(Operation::write_middle, mtu_, Instant{});
    for (std::size_t c = 0; c < free.size(); ++c) free[c] = before[c] + (free[c] - before[c]) * (whole - settled);
  }
  const auto last = [&] {
    if (work == roce::Work::write_immediate)
      return whole > 0 ? Operation::write_last_immediate : Operation::write_only_immediate;
    if (whole > 0) return Operation::write_last;
    return sends ? Operation::send_only : Operation::write_only;
  }();
  const auto there = carry(last, size.count() - whole * mtu_, Instant{});
  free.assign(cables.size(), there);
  return carry(Operation::acknowledge, 0, there) - Instant{};
}

}  // namespace peerpath::network_run
