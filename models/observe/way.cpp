#include <algorithm>
#include <string>
#include <vector>

#include "observe/finish.hpp"

namespace peerpath::observe {
namespace {

struct Hop {
  std::string from, to;
};

bool carries(const LinkDirectionResult& direction, const std::string& requester) {
  return std::ranges::any_of(direction.rows, [&](const LedgerRow& row) {
    return row.requester == requester && row.purpose == pcie::Purpose::payload && row.payload > Bytes{0};
  });
}

/// Directed hops on which payload of `requester` was seen.
std::vector<Hop> hops_of(const Results& results, const std::string& requester) {
  std::vector<Hop> hops;
  for (const auto& link : results.links) {
    if (carries(link.up, requester)) hops.push_back({link.farther, link.nearer});
    if (carries(link.down, requester)) hops.push_back({link.nearer, link.farther});
  }
  return hops;
}

/// Follows the hops from `at`, never straight back, and adds each way that ends.
void follow(const std::vector<Hop>& hops, std::vector<std::string>& visited, std::vector<std::string>& ways) {
  bool ends = true;
  const auto at = visited.back();
  for (const auto& hop : hops) {
    if (hop.from != at || std::ranges::find(visited, hop.to) != visited.end()) continue;
    ends = false;
    visited.push_back(hop.to);
    follow(hops, visited, ways);
    visited.pop_back();
  }
  if (!ends || visited.size() < 2) return;
  std::string way;
  for (const auto& node : visited) way += (way.empty() ? "" : " -> ") + node;
  ways.push_back(std::move(way));
}

/// A way starts at a leaf of the tree: a node that lies on one link only, or that nothing comes from elsewhere into.
bool is_start(const std::vector<Hop>& hops, const std::string& node) {
  return std::ranges::none_of(hops, [&](const Hop& in) {
    return in.to == node &&
           std::ranges::any_of(hops, [&](const Hop& out) { return out.from == node && out.to != in.from; });
  });
}

}  // namespace

std::string describe_way(const Results& results, const TrafficResult& traffic) {
  std::vector<std::string> ways;
  for (const auto& requester : traffic.requesters) {
    const auto hops = hops_of(results, requester);
    std::vector<std::string> started;
    for (const auto& hop : hops) {
      if (!is_start(hops, hop.from) || std::ranges::find(started, hop.from) != started.end()) continue;
      started.push_back(hop.from);
      std::vector<std::string> visited{hop.from};
      follow(hops, visited, ways);
    }
  }
  if (ways.empty()) return "no payload crossed a link";
  std::string text;
  for (const auto& way : ways) text += (text.empty() ? "" : ", then ") + way;
  return text;
}

}  // namespace peerpath::observe
