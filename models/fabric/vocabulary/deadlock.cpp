#include "fabric/vocabulary/deadlock.hpp"

#include <algorithm>

#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric {
namespace {

using pcie::TlpClass;

constexpr std::size_t nobody = ~std::size_t{0};

/// What each queue waits for.
class Graph {
 public:
  Graph(const Topology& topology, const std::vector<Waiting>& queues)
      : topology_{topology}, wiring_{topology}, queues_{queues}, blocked_(queues.size()) {
    for (std::size_t i = 0; i < queues.size(); ++i)
      blocked_[i] = queues[i].why != WaitFor::time && queues[i].why != WaitFor::link;
    while (std::ranges::any_of(all(), [this](std::size_t i) { return blocked_[i] && release(i); })) {}
  }

  Deadlock result() const {
    Deadlock found;
    std::vector<std::size_t> place(queues_.size());
    for (const std::size_t i : all()) {
      place[i] = found.blocked.size();
      if (blocked_[i]) found.blocked.push_back(queues_[i]);
    }
    for (const std::size_t i : cycle()) found.cycle.push_back(place[i]);
    return found;
  }

 private:
  std::vector<std::size_t> all() const {
    return where([](const Waiting&) { return true; });
  }

  template <class Condition>
  std::vector<std::size_t> where(Condition&& holds) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (holds(queues_[i])) found.push_back(i);
    return found;
  }

  /// Of a router one for each port by which its TLPs leave.
  std::vector<std::size_t> queues_at(NodeId node, int ingress, TlpClass tlp_class) const {
    return where([&](const Waiting& q) {
      return q.node == node && q.ingress == ingress && (q.tlp_class == tlp_class || ingress == Waiting::received);
    });
  }

  /// Those that hold what `w` lacks.
  std::vector<std::size_t> holders(const Waiting& w) const {
    const Link& link = topology_.links[w.link.value()];
    const NodeId far = w.direction == 0 ? link.b : link.a;
    switch (w.why) {
      case WaitFor::credits:
        if (!topology_.nodes[far.value()].is_endpoint)
          return queues_at(far, wiring_.ingress_of(far, w.link, w.channel), w.tlp_class);
        return w.tlp_class == TlpClass::posted ? std::vector<std::size_t>{}
                                               : queues_at(far, Waiting::received, w.tlp_class);
      case WaitFor::ordering:
        return where([&](const Waiting& q) {
          return q.node == w.node && q.ingress == w.ingress && q.tlp_class == TlpClass::posted && q.link == w.link &&
                 q.channel == w.channel;
        });
      case WaitFor::room:
        return queues_at(w.node, 0, TlpClass::completion);
      case WaitFor::tag:
        return where([&](const Waiting& q) {
          return q.requester == w.node && q.tlp_class != TlpClass::posted && q.why != WaitFor::tag;
        });
      default:
        return {};
    }
  }

  /// Whether the queue turns out to be able to move some day.
  bool release(std::size_t i) {
    const auto by = holders(queues_[i]);
    const bool moves = by.empty() ? queues_[i].why != WaitFor::credits
                                  : std::ranges::any_of(by, [this](std::size_t holder) { return !blocked_[holder]; });
    if (moves) blocked_[i] = false;
    return moves;
  }

  /// From each blocked queue along what it waits for, until one comes again.
  std::vector<std::size_t> cycle() const {
    for (const std::size_t start : all()) {
      std::vector<std::size_t> way;
      for (std::size_t i = start; i != nobody && blocked_[i];) {
        const auto seen = std::ranges::find(way, i);
        if (seen != way.end()) return {seen, way.end()};
        way.push_back(i);
        const auto by = holders(queues_[i]);
        i = by.empty() ? nobody : by.front();
      }
    }
    return {};
  }

  const Topology& topology_;
  const Wiring wiring_;
  const std::vector<Waiting>& queues_;
  std::vector<bool> blocked_;
};

std::string class_name(TlpClass tlp_class) {
  return tlp_class == TlpClass::posted ? "posted" : tlp_class == TlpClass::non_posted ? "non-posted" : "completion";
}

}  // namespace

std::vector<Waiting> unmoved(const std::vector<Waiting>& earlier, std::vector<Waiting> later) {
  for (Waiting& w : later)
    if (std::ranges::find(earlier, w) == earlier.end()) w.why = WaitFor::time;
  return later;
}

Deadlock find_deadlock(const Topology& topology, const std::vector<Waiting>& queues) {
  return Graph{topology, queues}.result();
}

WaitText describe(const Topology& topology, const Waiting& w) {
  const auto name = [&](NodeId node) { return topology.nodes[node.value()].name; };
  const Link& link = topology.links[w.link.value()];
  const NodeId from = w.direction == 0 ? link.a : link.b, to = w.direction == 0 ? link.b : link.a;
  std::string place = name(w.node);
  if (w.ingress == Waiting::received) {
    place += " receive queue";
  } else if (topology.nodes[w.node.value()].is_endpoint) {
    const int channels = topology.nodes[w.node.value()].endpoint.channels;
    place += w.ingress == 0         ? " completer"
             : w.ingress > channels ? " completer, VC 1"
                                    : " requester, channel " + std::to_string(w.ingress);
  } else {
    const Wiring wiring{topology};
    const auto ports = wiring.ports(w.node);
    for (std::size_t p = 0; p < ports.size(); ++p)
      if (w.ingress == static_cast<int>(p) || w.ingress == ports[p].vc1_ingress)
        place += " port towards " + name(ports[p].peer) + (w.ingress == static_cast<int>(p) ? "" : ", VC 1");
  }
  const std::string tlp =
      w.tlp_class == TlpClass::completion
          ? "completion from " + name(w.target) + " to " + name(w.requester)
          : class_name(w.tlp_class) + " request from " + name(w.requester) + " to " + name(w.target);
  const auto reason = [&]() -> std::string {
    switch (w.why) {
      case WaitFor::credits:
        return class_name(w.tlp_class) + " credits of " + name(from) + " -> " + name(to) +
               (w.channel == 0 ? "" : ", VC 1");
      case WaitFor::tag:
        return "a tag of " + name(w.node);
      case WaitFor::ordering:
        return "the posted requests before it";
      case WaitFor::link:
        return "the link " + name(from) + " -> " + name(to) + ", which is down";
      case WaitFor::room:
        return "room for its completions in " + name(w.node);
      default:
        return {};
    }
  };
  return {place, tlp, reason()};
}

std::string sentence(const WaitText& text) {
  return text.place + ": " + text.tlp + (text.waits_for.empty() ? " goes on" : " waits for " + text.waits_for);
}

}  // namespace peerpath::fabric
