#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

/// Suffix of the leaves at which a router answers TLPs that ACS blocks at one of its ports.
constexpr std::string_view acs_violations = " ACS violations";

/// Payload of one requester on one direction of a link.
struct Hop {
  std::string from, to;
  bool up = false;
  std::int64_t payload = 0;
};

struct Way {
  std::vector<std::string> nodes;
  std::int64_t payload = 0;
};

std::vector<Hop> hops_of(const Results& results, const std::string& requester) {
  std::vector<Hop> hops;
  const auto add = [&](const LinkDirectionResult& direction, const std::string& from, const std::string& to, bool up) {
    std::int64_t payload = 0;
    for (const LedgerRow& row : direction.rows)
      if (row.requester == requester && row.purpose == pcie::Purpose::payload) payload += row.payload.count();
    if (payload > 0) hops.push_back({from, to, up, payload});
  };
  for (const auto& link : results.links) {
    add(link.up, link.farther, link.nearer, true);
    add(link.down, link.nearer, link.farther, false);
  }
  return hops;
}

/// The ledger counts bytes per link, not per path, so paths are reconstructed from it. A path begins and ends at a
/// leaf, one of the two is the requester, no hop occurs twice, and a path turns back at a router only if no other hop
/// is left (redirected payload turns back at the root complex).
class Ways {
 public:
  Ways(const Results& results, const std::string& requester)
      : requester_{requester}, hops_{hops_of(results, requester)} {
    for (const auto& link : results.links)
      for (const auto* end : {&link.nearer, &link.farther})
        (seen_.insert(*end).second ? leaves_ : routers_).insert(*end);
  }

  std::vector<Way> all() {
    std::vector<Way> ways;
    for (std::size_t first = 0; first < hops_.size(); ++first)
      while (hops_[first].payload > 0 && is_leaf(hops_[first].from)) {
        std::vector<std::size_t> taken{first};
        if (!follow(taken)) break;
        ways.push_back(take(taken));
      }
    if (ways.empty())  // no payload has reached a leaf yet
      for (const Hop& hop : hops_)
        if (is_leaf(hop.from) && ways.empty()) ways.push_back({{hop.from, hop.to}, hop.payload});
    return merged(ways);
  }

 private:
  bool is_leaf(const std::string& node) const { return leaves_.contains(node) && !routers_.contains(node); }

  /// Extends the path to a leaf other than its first one, or to the requester if the path begins elsewhere. Returns
  /// false if no such leaf can be reached.
  bool follow(std::vector<std::size_t>& taken) const {
    const Hop last = hops_[taken.back()];
    const std::string& begin = hops_[taken.front()].from;
    if (is_leaf(last.to)) return last.to != begin && (begin == requester_ || last.to == requester_);
    for (const int rank : {0, 1, 2})
      for (std::size_t next = 0; next < hops_.size(); ++next) {
        const Hop& hop = hops_[next];
        const bool back = hop.to == last.from;
        if (hop.from != last.to || hop.payload == 0 || rank != (back ? 2 : hop.up ? 0 : 1)) continue;
        if (std::ranges::find(taken, next) != taken.end()) continue;
        if (!last.up && hop.to.ends_with(acs_violations)) continue;
        taken.push_back(next);
        if (follow(taken)) return true;
        taken.pop_back();
      }
    return false;
  }

  Way take(const std::vector<std::size_t>& taken) {
    Way way{{hops_[taken.front()].from}, hops_[taken.front()].payload};
    for (const std::size_t i : taken) way.payload = std::min(way.payload, hops_[i].payload);
    for (const std::size_t i : taken) {
      hops_[i].payload -= way.payload;
      way.nodes.push_back(hops_[i].to);
    }
    return way;
  }

  /// Payload in flight at either edge of the window appears as a small second path between the same leaves.
  static std::vector<Way> merged(const std::vector<Way>& ways) {
    std::vector<Way> kept;
    for (const Way& way : ways) {
      std::int64_t most = 0;
      for (const Way& other : ways)
        if (same_ends(way, other)) most = std::max(most, other.payload);
      if (way.payload >= most / 50) kept.push_back(way);
    }
    return kept;
  }

  static bool same_ends(const Way& a, const Way& b) {
    return a.nodes.front() == b.nodes.front() && a.nodes.back() == b.nodes.back();
  }

  std::string requester_;
  std::vector<Hop> hops_;
  std::set<std::string> seen_, leaves_, routers_;
};

/// Whether payload of the traffic goes from one end of the way to the other.
bool belongs(const Way& way, const TrafficResult& traffic) {
  const auto &first = way.nodes.front(), &last = way.nodes.back();
  const bool inwards = traffic.kind == "read" || traffic.kind == "transmit";
  const auto &source = inwards ? traffic.to : traffic.from, &sink = inwards ? traffic.from : traffic.to;
  // Bounced payload has a stop on its way.
  return traffic.requesters.size() > 1 ? first == source || last == sink : first == source && last == sink;
}

bool moved_by(const TrafficResult& traffic, const std::string& requester) {
  return std::ranges::find(traffic.requesters, requester) != traffic.requesters.end();
}

}  // namespace

std::string describe_way(const Results& results, const TrafficResult& traffic) {
  std::string text;
  for (const auto& requester : traffic.requesters) {
    for (const auto& way : Ways{results, requester}.all()) {
      // The ledger counts by requester, not by traffic entry. Paths that fit another entry are left out; paths that fit
      // no entry are listed with every entry of that requester.
      const bool of_another = !belongs(way, traffic) && std::ranges::any_of(results.traffic, [&](const auto& other) {
        return moved_by(other, requester) && belongs(way, other);
      });
      if (of_another) continue;
      text += text.empty() ? "" : ", then ";
      for (const auto& node : way.nodes) text += (&node == &way.nodes.front() ? "" : " -> ") + node;
    }
  }
  return text.empty() ? "no payload crossed a link" : text;
}

}  // namespace peerpath::observe
