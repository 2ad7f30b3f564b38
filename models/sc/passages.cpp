#include "sc/passages.hpp"

namespace peerpath::sc {
namespace {

constexpr int far = -1;

/// Hops from a node to all others, without passing `closed`.
std::vector<int> hops(const fabric::Topology& topology, fabric::NodeId from, std::optional<fabric::NodeId> closed) {
  std::vector<int> hops(topology.nodes.size(), far);
  std::vector<fabric::NodeId> reached{from};
  hops[from.value()] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const auto& link : topology.links) {
      if (link.a != reached[i] && link.b != reached[i]) continue;
      const auto next = link.a == reached[i] ? link.b : link.a;
      if (next == closed || hops[next.value()] != far) continue;
      hops[next.value()] = hops[reached[i].value()] + 1;
      reached.push_back(next);
    }
  return hops;
}

}  // namespace

void Passages::prepare(const fabric::Topology& topology) {
  nodes_ = topology.nodes.size();
  via_.assign(nodes_ * nodes_, std::nullopt);
  std::vector<int> nearest(nodes_ * nodes_, far);  // hops to the component that is entered first
  for (const auto& between : betweens_) {
    const auto distance = hops(topology, between.hub, std::nullopt);
    std::vector<int> side(nodes_, far);
    for (const int s : {0, 1}) {
      const auto& link = topology.links[between.link[s].value()];
      const auto beyond = hops(topology, link.a == between.hub ? link.b : link.a, between.hub);
      for (std::size_t n = 0; n < nodes_; ++n)
        if (beyond[n] != far) side[n] = s;
      side[between.side[s].value()] = s;
    }
    for (std::size_t from = 0; from < nodes_; ++from)
      for (std::size_t to = 0; to < nodes_; ++to) {
        if (side[from] == far || side[to] == far || side[from] == side[to]) continue;
        auto& least = nearest[from * nodes_ + to];
        if (least != far && least < distance[from]) continue;
        least = distance[from];
        via_[from * nodes_ + to] = between.side[side[from]];
      }
  }
}

std::optional<fabric::NodeId> Passages::via(fabric::NodeId from, fabric::NodeId to) const {
  return via_.empty() ? std::nullopt : via_[from.value() * nodes_ + to.value()];
}

std::uint64_t Passages::open(const Passage& passage) {
  open_.emplace_hint(open_.end(), next_, passage);
  return next_++;
}

Passage* Passages::find(std::uint64_t number) {
  const auto found = open_.find(number);
  return found == open_.end() ? nullptr : &found->second;
}

fabric::Delivery Passages::as_asked(const Passage& passage, const fabric::Delivery& delivery) {
  auto seen = delivery;
  seen.requester = passage.requester;
  seen.target = passage.asked.target;
  seen.channel = passage.channel;
  seen.cookie = passage.asked.cookie;
  seen.address = passage.asked.address;
  seen.bytes = passage.asked.bytes;
  seen.ready = passage.asked.ready;
  return seen;
}

}  // namespace peerpath::sc
