#include "collective/pattern.hpp"

#include <algorithm>

#include "collective/hierarchical.hpp"
#include "collective/rooted.hpp"

namespace peerpath::collective {
namespace {

/// The schedule of one level, not cut into slices.
Schedule flat(const Pattern& p) {
  const bool tree = p.algorithm == Algorithm::tree;
  switch (p.kind) {
    case Exchange::all_reduce:
      return tree ? tree_all_reduce(p.ranks, p.bytes) : ring_all_reduce(p.ranks, p.bytes);
    case Exchange::all_gather:
      return ring_all_gather(p.ranks, p.bytes);
    case Exchange::reduce_scatter:
      return ring_reduce_scatter(p.ranks, p.bytes);
    case Exchange::all_to_all:
      return p.sizes.empty() ? all_to_all(p.ranks, p.bytes, p.window) : all_to_all_v(p.ranks, p.sizes, p.window);
    case Exchange::broadcast:
      return tree ? binomial_broadcast(p.ranks, p.bytes, p.root) : chain_broadcast(p.ranks, p.bytes, p.root);
    case Exchange::reduce:
      return tree ? binomial_reduce(p.ranks, p.bytes, p.root) : chain_reduce(p.ranks, p.bytes, p.root);
    case Exchange::gather:
      return tree ? binomial_gather(p.ranks, p.bytes, p.root) : straight_gather(p.ranks, p.bytes, p.root);
    case Exchange::scatter:
      return tree ? binomial_scatter(p.ranks, p.bytes, p.root) : straight_scatter(p.ranks, p.bytes, p.root, p.window);
    case Exchange::message:
      break;
  }
  return {{0, 1, p.bytes}};
}

}  // namespace

std::string not_played(Exchange kind, Algorithm algorithm, bool hierarchical) {
  const bool halves = kind == Exchange::all_gather || kind == Exchange::reduce_scatter || kind == Exchange::all_to_all;
  if (algorithm == Algorithm::tree && halves) return "tree is for all_reduce, broadcast, reduce, gather and scatter";
  if (hierarchical && !halves && kind != Exchange::all_reduce)
    return "hierarchical are all_reduce, all_gather, reduce_scatter and all_to_all";
  return "";
}

Schedule hierarchical(const Pattern& p, Order order) {
  const Servers servers{p.ranks / p.server, p.server};
  switch (p.kind) {
    case Exchange::all_reduce:
      return hierarchical_all_reduce(servers, p.bytes, p.algorithm == Algorithm::tree, p.slices, order);
    case Exchange::all_gather:
      return hierarchical_all_gather(servers, p.bytes, p.slices, order);
    case Exchange::reduce_scatter:
      return hierarchical_reduce_scatter(servers, p.bytes, p.slices);
    default:
      return rail_all_to_all(servers, p.sizes.empty() ? equal_sizes(p.ranks, p.bytes) : p.sizes, p.window);
  }
}

Schedule schedule_of(const Pattern& p) {
  if (p.ranks < 2) return {};
  if (p.server > 1) return hierarchical(p, Order::farthest_first);
  if (!goes_in_slices(p.kind)) return flat(p);
  const auto whole = flat(p);
  std::vector<std::uint32_t> ends;
  if (p.algorithm == Algorithm::ring && !p.is_rooted())
    for (auto end = p.ranks; end < whole.size(); end += p.ranks) ends.push_back(end);
  ends.push_back(static_cast<std::uint32_t>(whole.size()));
  return in_slices(whole, p.slices, ends);
}

Bytes busiest(const Schedule& schedule, const std::vector<std::uint32_t>& servers) {
  std::vector<Bytes> out(servers.size()), in(servers.size());
  for (const auto& s : schedule) {
    if (servers[s.from] == servers[s.to]) continue;
    out[s.from] += s.bytes;
    in[s.to] += s.bytes;
  }
  Bytes most{};
  for (std::size_t r = 0; r < servers.size(); ++r) most = std::max({most, out[r], in[r]});
  return most;
}

}  // namespace peerpath::collective
