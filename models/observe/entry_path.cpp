#include "observe/entry_path.hpp"

#include <algorithm>

namespace peerpath::observe {
namespace {

/// Numbers of links from a device to the root of its tree, the nearest first.
std::vector<std::size_t> links_above(const Results& results, std::string device) {
  std::vector<std::size_t> links;
  while (links.size() <= results.links.size()) {
    const auto up = std::ranges::find(results.links, device, &LinkResult::farther);
    if (up == results.links.end()) break;
    links.push_back(static_cast<std::size_t>(up - results.links.begin()));
    device = up->nearer;
  }
  return links;
}

bool carries_payload(const TrafficResult& traffic, std::size_t link) {
  return link < traffic.crossed.size() && traffic.crossed[link] > Bytes{};
}

/// Whether one of its requesters sends requests without data on this direction: read requests.
bool carries_requests(const LinkSide& side, const TrafficResult& traffic) {
  return std::ranges::any_of(side.sent().rows, [&](const LedgerRow& row) {
    return row.purpose == pcie::Purpose::payload && row.tlps > 0 &&
           std::ranges::find(traffic.requesters, row.requester) != traffic.requesters.end();
  });
}

/// Whether the end from which the payload comes asks for it, or sends it unasked.
bool pulls(const TrafficResult& traffic) {
  return traffic.kind == "read" || traffic.kind == "transmit" || traffic.kind == "atomic";
}

}  // namespace

bool EntryPath::passes(const std::string& device) const { return std::ranges::find(nodes, device) != nodes.end(); }

EntryPath path_of(const Results& results, const TrafficResult& traffic) {
  const bool pulled = pulls(traffic), bounced = traffic.requesters.size() > 1;
  const auto &source = pulled ? traffic.to : traffic.from, &sink = pulled ? traffic.from : traffic.to;
  auto ups = links_above(results, source), downs = links_above(results, sink);
  // Beyond the lowest common router only as far as the payload went.
  while (!ups.empty() && !downs.empty() && ups.back() == downs.back() && !carries_payload(traffic, ups.back())) {
    ups.pop_back();
    downs.pop_back();
  }
  EntryPath path;
  const auto pass = [&path](const std::string& node) {
    if (!path.passes(node)) path.nodes.push_back(node);
  };
  pass(source);
  for (const auto link : ups) {
    path.data.push_back({&results.links[link], Direction::up});
    pass(results.links[link].nearer);
  }
  for (auto link = downs.rbegin(); link != downs.rend(); ++link) {
    path.data.push_back({&results.links[*link], Direction::down});
    pass(results.links[*link].nearer);
    pass(results.links[*link].farther);
  }
  pass(sink);
  if (bounced)  // its stop in host memory lies beside the way between the two ends
    for (std::size_t n = 0; n < results.links.size(); ++n)
      if (carries_payload(traffic, n)) pass(results.links[n].farther);
  path.reads = bounced || traffic.kind == "read" || traffic.kind == "transmit" || traffic.kind == "atomic" ||
               traffic.kind == "copy";
  path.writes = bounced || traffic.kind == "write" || traffic.kind == "receive" || traffic.kind == "atomic" ||
                traffic.kind == "copy";
  if (!path.reads && !path.writes) path.reads = path.writes = true;  // sockets
  if (path.reads)
    for (auto side = path.data.rbegin(); side != path.data.rend(); ++side) {
      const LinkSide back{side->link, side->direction == Direction::up ? Direction::down : Direction::up};
      const bool both = std::ranges::any_of(
          path.data, [&](const LinkSide& d) { return d.link == back.link && d.direction == back.direction; });
      if (!both && carries_requests(back, traffic)) path.requests.push_back(back);
    }
  return path;
}

}  // namespace peerpath::observe
