#include "fabric/differential/shapes.hpp"

#include <algorithm>
#include <utility>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"

namespace peerpath::fabric::differential {
namespace {

using pcie::Operation;

/// Builds one shape in place of a case.
class ShapedCase {
 public:
  ShapedCase(Scenario& s, Draw& draw) : s_{s}, t_{s.topology}, draw_{draw}, parts_{std::exchange(s.topology, {})} {
    t_.seed = parts_.seed;
    s_.planned.clear(), s_.exchanges.clear(), s_.flips.clear(), s_.changes.clear(), s_.faults.clear(), s_.gates.clear();
  }

  void fan_out() {
    s_.shape = Shape::fan_out;
    const NodeId root = router("root");
    const NodeId below = draw_.chance(70) ? router("switch") : root;
    if (below != root) connect(root, below, 50);
    std::vector<NodeId> requesters, leaves;
    for (int i = draw_.chance(60) ? 1 : 2; i > 0; --i) {
      requesters.push_back(endpoint("requester" + std::to_string(i)));
      connect(root, requesters.back(), 50);
    }
    for (int i = draw_.small(2, 6); i > 0; --i) {
      leaves.push_back(endpoint("leaf" + std::to_string(i)));
      connect(below, leaves.back(), 85);
      if (draw_.chance(70)) set_rates();
    }
    for (const NodeId from : requesters)
      for (int i = draw_.small(1, 3); i > 0; --i) send(from, leaves, 300);
    for (const NodeId from : leaves) {
      if (draw_.chance(30)) send(from, requesters, 80);
      if (draw_.chance(25)) send(from, leaves, 80);
    }
    finish();
  }

  void sockets() {
    s_.shape = Shape::sockets;
    std::vector<NodeId> sockets{router("socket0")};
    for (int i = draw_.one_of({1, 1, 1, 2}); i > 0; --i) {
      const NodeId to = sockets[draw_.below(sockets.size())];
      sockets.push_back(router("socket" + std::to_string(sockets.size())));
      connect(to, sockets.back(), draw_.one_of({0, 100}));
      for (LinkDirection& d : t_.links.back().direction) d.propagation = Duration{draw_.between(20, 400) * ns};
      if (draw_.chance(40)) limit_peers();
    }
    std::vector<NodeId> devices, all;
    for (const NodeId socket : sockets) {
      all.push_back(endpoint("memory"));
      connect(socket, all.back(), 20);
      const NodeId below = draw_.chance(30) ? router("switch") : socket;
      if (below != socket) connect(socket, below, 30);
      for (int i = draw_.small(1, 3); i > 0; --i) {
        devices.push_back(endpoint("device" + std::to_string(devices.size())));
        connect(below, devices.back(), 30);
      }
    }
    all.insert(all.end(), devices.begin(), devices.end());
    const int share = draw_.one_of({30, 60, 100});
    const bool at_once = draw_.chance(50);
    for (const NodeId from : devices) {
      if (at_once) send(from, all, 200);
      for (const NodeId to : all)
        if (!at_once && draw_.chance(share)) send(from, {to}, 60);
    }
    for (int i = draw_.chance(40) ? draw_.small(1, 3) : 0; i > 0; --i) react(all);
    finish();
  }

 private:
  NodeId router(std::string name) {
    return t_.add_router(std::move(name), parts_.nodes[0].router);  // the root of the tree before
  }

  NodeId endpoint(std::string name) {
    std::vector<const Node*> some;
    for (const Node& node : parts_.nodes)
      if (node.is_endpoint) some.push_back(&node);
    Endpoint e = some[draw_.below(some.size())]->endpoint;
    e.channels = 0;
    if (!e.external && draw_.chance(5)) e.one_queue = draw_.small(1, 8);
    return t_.add_endpoint(std::move(name), e);
  }

  LinkDirection direction(int shallow) {
    LinkDirection d = parts_.links[draw_.below(parts_.links.size())].direction[draw_.below(2)];
    constexpr std::array<int, pcie::tlp_classes> least{32, 3, 32};
    for (std::size_t c = 0; c < pcie::tlp_classes; ++c)
      if (draw_.chance(shallow))
        d.credits[c] = {draw_.small(1, 8), draw_.chance(20) ? 0 : draw_.small(least[c], 4 * least[c])};
    return d;
  }

  /// What crosses last passes one after the other, as peers do at some sockets.
  void limit_peers() {
    const auto link = LinkId{static_cast<std::uint16_t>(t_.links.size() - 1)};
    for (const int direction : {0, 1})
      if (draw_.chance(70)) s_.gates.push_back({link, direction, draw_.next()});
  }

  /// `shallow`: how often, in percent, a receiver has few credits for a class.
  void connect(NodeId a, NodeId b, int shallow) { t_.connect(a, b, direction(shallow), direction(shallow)); }

  void set_rates() {
    for (LinkDirection& d : t_.links.back().direction)
      d.rate = draw_.one_of({BitRate{4'000'000'000}, BitRate{8'000'000'000}, BitRate{31'507'692'307},
                             BitRate{64'000'000'000}, BitRate{252'061'538'461}});
  }

  Bytes size() {
    return Bytes{draw_.chance(70) ? draw_.one_of({8, 64, 256, 512, 1024, 4096}) : draw_.between(1, 3000)};
  }

  /// Reads and writes from one channel to any of `targets`, of about `tlps` TLPs at most.
  void send(NodeId from, std::vector<NodeId> targets, int tlps) {
    std::erase(targets, from);
    if (targets.empty()) return;
    const ChannelIndex channel = new_channel(t_, from);
    const int writes = draw_.one_of({0, 30, 50, 80, 100}), notices = draw_.one_of({0, 0, 5});
    const int relaxed = draw_.one_of({0, 0, 50, 100}), by_id = draw_.one_of({0, 0, 50, 100});
    const bool in_turn = draw_.chance(40), equal = draw_.chance(50);
    const int burst = draw_.one_of({1, 1, 4, 20});
    const Bytes usual = size();
    const Duration gap{draw_.one_of<std::int64_t>({0, 20 * ns, 100 * ns, 333'320'000, draw_.between(0, 1000 * ns)})};
    Instant ready{Duration{draw_.between(0, 1000) * ns}};
    NodeId to = targets.front();
    for (std::size_t i = 0; tlps > 0; ++i) {
      if (i % static_cast<std::size_t>(burst) == 0)
        to = targets[in_turn ? i / static_cast<std::size_t>(burst) % targets.size() : draw_.below(targets.size())];
      Transaction t;
      t.target = to;
      t.op = draw_.chance(writes) ? Operation::memory_write : Operation::memory_read;
      t.bytes = equal ? usual : size();
      t.address = draw_.below(64) * 4096 + (draw_.chance(30) ? draw_.below(64) * 64 : 0);
      t.relaxed_ordering = draw_.chance(relaxed);
      t.id_based_ordering = draw_.chance(by_id);
      t.notify_target = draw_.chance(notices);
      t.notify_requester = draw_.chance(notices);
      t.ready = ready;
      last_ = std::max(last_, ready);
      s_.planned.push_back({from, channel, t});
      tlps -= static_cast<int>(t.bytes.count() / 256) + 1;
      ready += gap;
    }
  }

  /// A loop of reads or doorbells between two of them.
  void react(const std::vector<NodeId>& ends) {
    const NodeId a = ends[draw_.below(ends.size())], b = ends[draw_.below(ends.size())];
    if (a == b) return;
    Exchange r;
    r.kind = draw_.one_of({Exchange::Kind::read_chain, Exchange::Kind::ping_pong});
    r.a = {a, new_channel(t_, a)};
    r.b = {b, new_channel(t_, b)};
    r.depth = draw_.one_of({1, 4, 16});
    r.rounds = draw_.small(10, 80);
    r.bytes = r.kind == Exchange::Kind::ping_pong ? Bytes{8} : size();
    r.begin = Instant{Duration{draw_.between(0, 2000) * ns}};
    last_ = std::max(last_, r.begin + Duration{20'000 * ns});
    s_.exchanges.push_back(std::move(r));
  }

  void finish() {
    sort_planned(s_.planned);
    s_.end = last_ + Duration{2'000'000 * ns};
    if (draw_.chance(10)) s_.end = Instant{last_.time_since_epoch() / 2 + Duration{500 * ns}};  // in the middle of it
  }

  Scenario& s_;
  Topology& t_;
  Draw& draw_;
  const Topology parts_;
  Instant last_{};
};

}  // namespace

void add_shapes(Scenario& scenario) {
  Draw draw{scenario.seed ^ 0x54a9e5};
  const int kind = draw.small(0, 99);
  // Those with one receive queue are few, and most of the deadlocks are theirs.
  if (std::ranges::any_of(scenario.topology.nodes, [](const Node& n) { return n.endpoint.one_queue > 0; })) return;
  if (kind < 22)
    ShapedCase{scenario, draw}.fan_out();
  else if (kind < 44)
    ShapedCase{scenario, draw}.sockets();
}

}  // namespace peerpath::fabric::differential
