#include "peerpath/fabric/topology.hpp"

#include <algorithm>
#include <numeric>

#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric {
namespace {

/// Collects what is wrong, one sentence each.
struct Complaints {
  std::vector<std::string> all;

  void unless(bool condition, std::string sentence) {
    if (!condition) all.push_back(std::move(sentence));
  }
};

bool power_of_two_size(Bytes size) {
  const std::int64_t n = size.count();
  return n >= 128 && n <= 4096 && (n & (n - 1)) == 0;
}

void check_endpoint(const Node& node, Complaints& wrong) {
  const Endpoint& e = node.endpoint;
  const auto& name = node.name;
  wrong.unless(power_of_two_size(e.max_payload), name + ": max_payload must be 128, 256, 512, 1024, 2048 or 4096 B");
  wrong.unless(power_of_two_size(e.max_read_request),
               name + ": max_read_request must be 128, 256, 512, 1024, 2048 or 4096 B");
  wrong.unless(
      e.max_completion.count() >= 64 && e.max_completion.count() % 64 == 0 && e.max_completion <= e.max_payload,
      name + ": max_completion must be a multiple of 64 B, at most max_payload");
  wrong.unless(e.tags >= 1, name + ": needs at least one tag");
  wrong.unless(e.channels >= 0 && static_cast<std::size_t>(e.channels) < max_ingresses,
               name + ": at most " + std::to_string(max_ingresses - 1) + " channels");
  for (const ServiceTime& service : e.service)
    wrong.unless(service.per_tlp >= Duration{0} && service.rate >= BitRate{}, name + ": negative service time");
  wrong.unless(e.read_latency >= Duration{0} && e.read_jitter >= Duration{0} && e.read_rate >= BitRate{},
               name + ": negative read latency, jitter or rate");
  wrong.unless(e.reaction >= Duration{0} && e.completion_timeout >= Duration{0},
               name + ": negative reaction or completion timeout");
  wrong.unless(
      e.one_queue == 0 || (e.one_queue > 0 && !e.external),
      name + ": one receive queue is of an endpoint whose answers the fabric makes, after one completion or more");
}

/// Data credits of the largest TLP of each class: a payload that begins anywhere within a double word.
struct LargestTlps {
  std::array<int, pcie::tlp_classes> units{};

  explicit LargestTlps(const Topology& topology) {
    for (const Node& node : topology.nodes) {
      if (!node.is_endpoint) continue;
      const auto holds = [](Bytes size) { return static_cast<int>((size.count() + 15) / 16); };
      units[0] = std::max(units[0], holds(node.endpoint.max_payload));
      units[1] = 3;  // an atomic with two operands of 16 B, or one that is not aligned
      units[2] = std::max(units[2], holds(node.endpoint.max_completion));
    }
  }
};

void check_credits(const std::string& name, const std::array<Credits, pcie::tlp_classes>& all, const Node& from,
                   const LargestTlps& largest, Complaints& wrong) {
  constexpr std::array class_names{"posted", "non-posted", "completion"};
  for (std::size_t c = 0; c < pcie::tlp_classes; ++c) {
    int units = largest.units[c];
    // What one endpoint alone can send is known better.
    if (from.is_endpoint && c == 0) units = static_cast<int>((from.endpoint.max_payload.count() + 15) / 16);
    if (from.is_endpoint && c == 2) units = static_cast<int>((from.endpoint.max_completion.count() + 15) / 16);
    const Credits& credits = all[c];
    wrong.unless(credits.header >= 0 && credits.data >= 0, name + ": negative " + class_names[c] + " credits");
    wrong.unless(credits.data <= 0 || credits.data >= units,
                 name + ": " + std::to_string(credits.data) + " " + class_names[c] +
                     " data credits cannot hold a TLP of " + std::to_string(units));
  }
}

void check_direction(const std::string& name, const LinkDirection& d, const Node& from, const Node& to,
                     const LargestTlps& largest, Complaints& wrong) {
  wrong.unless(d.rate > BitRate{}, name + ": has no rate");
  wrong.unless(d.framing >= Bytes{} && d.propagation >= Duration{0} && d.update_fc >= Duration{0} &&
                   d.ack_interval >= Duration{0} && d.fc_interval >= Duration{0},
               name + ": negative framing, propagation, update_fc or DLLP interval");
  wrong.unless(to.is_endpoint || d.propagation + to.router.latency > Duration{0},
               name + ": neither the link nor the router at its end takes any time");
  check_credits(name, d.credits, from, largest, wrong);
}

/// What a link with two virtual channels needs besides.
void check_channels(const std::string& name, const LinkDirection& d, const Node& from, const Node& to,
                    const LargestTlps& largest, Complaints& wrong) {
  check_credits(name + ", VC 1", d.vc1_credits, from, largest, wrong);
  const auto [vc0, vc1] = d.vc_arbitration;
  wrong.unless((vc0 == 0 && vc1 == 0) || (vc0 >= 1 && vc0 <= most_turns && vc1 >= 1 && vc1 <= most_turns),
               name + ": VC arbitration is strict (no turns), or 1 to " + std::to_string(most_turns) +
                   " turns for each channel");
  wrong.unless(!to.is_endpoint || to.endpoint.one_queue == 0,
               to.name + ": an endpoint with one receive queue has one virtual channel");
}

std::string direction_name(const Topology& t, const Link& link, int direction) {
  const auto& from = t.nodes[(direction == 0 ? link.a : link.b).value()].name;
  const auto& to = t.nodes[(direction == 0 ? link.b : link.a).value()].name;
  return "link " + from + " -> " + to;
}

void check_links(const Topology& t, Complaints& wrong) {
  const LargestTlps largest{t};
  std::vector<std::size_t> degree(t.nodes.size()), second(t.nodes.size());  // links; those with VC 1
  std::vector<std::size_t> tree(t.nodes.size());  // which one a node belongs to, as far as links are known
  std::iota(tree.begin(), tree.end(), std::size_t{0});
  for (std::size_t l = 0; l < t.links.size(); ++l) {
    const Link& link = t.links[l];
    if (link.a.value() >= t.nodes.size() || link.b.value() >= t.nodes.size()) {
      wrong.unless(false, "link " + std::to_string(l) + " names a node that does not exist");
      continue;
    }
    ++degree[link.a.value()], ++degree[link.b.value()];
    const std::size_t left = tree[link.a.value()], right = tree[link.b.value()];
    wrong.unless(left != right, direction_name(t, link, 0) + ": closes a cycle; domains are trees");
    std::ranges::replace(tree, right, left);
    const Node &a = t.nodes[link.a.value()], &b = t.nodes[link.b.value()];
    check_direction(direction_name(t, link, 0), link.direction[0], a, b, largest, wrong);
    check_direction(direction_name(t, link, 1), link.direction[1], b, a, largest, wrong);
    if (link.vc1_classes == 0) continue;
    wrong.unless(link.channel(0) == 0, direction_name(t, link, 0) + ": traffic class 0 goes by VC 0");
    ++second[link.a.value()], ++second[link.b.value()];
    check_channels(direction_name(t, link, 0), link.direction[0], a, b, largest, wrong);
    check_channels(direction_name(t, link, 1), link.direction[1], b, a, largest, wrong);
  }
  for (std::size_t n = 0; n < t.nodes.size(); ++n) {
    const Node& node = t.nodes[n];
    wrong.unless(!node.is_endpoint || degree[n] == 1,
                 node.name + ": an endpoint has one link, this one has " + std::to_string(degree[n]));
    wrong.unless(node.is_endpoint || degree[n] + second[n] <= max_ingresses,
                 node.name + ": at most " + std::to_string(max_ingresses) + " ports" +
                     (second[n] > 0 ? ", those with two virtual channels counted twice" : ""));
    wrong.unless(
        !node.is_endpoint || second[n] == 0 || static_cast<std::size_t>(node.endpoint.channels) + 1 < max_ingresses,
        node.name + ": at most " + std::to_string(max_ingresses - 2) + " channels beside VC 1");
  }
}

void check_weights(const Topology& t, Complaints& wrong) {
  const auto ends_at = [&](LinkId link, NodeId node) {
    return link.value() < t.links.size() && (t.links[link.value()].a == node || t.links[link.value()].b == node);
  };
  for (std::size_t i = 0; i < t.weights.size(); ++i) {
    const Weight& w = t.weights[i];
    const std::string name = "weight " + std::to_string(i);
    wrong.unless(w.router.value() < t.nodes.size() && !t.nodes[w.router.value()].is_endpoint &&
                     ends_at(w.ingress, w.router) && ends_at(w.egress, w.router),
                 name + ": is of two ports of one router");
    wrong.unless(w.turns >= 1 && w.turns <= most_turns,
                 name + ": " + std::to_string(w.turns) + " turns; 1 to " + std::to_string(most_turns));
  }
}

}  // namespace

NodeId Topology::add_router(std::string name, Router router) {
  nodes.push_back({std::move(name), false, router, {}});
  return NodeId{static_cast<std::uint16_t>(nodes.size() - 1)};
}

NodeId Topology::add_endpoint(std::string name, Endpoint endpoint) {
  nodes.push_back({std::move(name), true, {}, endpoint});
  return NodeId{static_cast<std::uint16_t>(nodes.size() - 1)};
}

LinkId Topology::connect(NodeId a, NodeId b, LinkDirection a_to_b, LinkDirection b_to_a) {
  links.push_back({a, b, {a_to_b, b_to_a}});
  return LinkId{static_cast<std::uint16_t>(links.size() - 1)};
}

std::vector<std::string> validate(const Topology& topology) {
  Complaints wrong;
  wrong.unless(topology.nodes.size() <= 0x10000 && topology.links.size() <= 0x10000, "more than 65536 nodes or links");
  for (const Node& node : topology.nodes) {
    if (node.is_endpoint)
      check_endpoint(node, wrong);
    else
      wrong.unless(node.router.latency >= Duration{0}, node.name + ": negative latency");
  }
  check_links(topology, wrong);
  check_weights(topology, wrong);
  return wrong.all;
}

}  // namespace peerpath::fabric
