// Random trees: small ones with odd and with round numbers (which cause ties), traffic of every kind.
#include "fabric/differential/generate.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"
#include "fabric/differential/steady.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {
namespace {

using pcie::Operation;

/// Builds one scenario; most of its members are the ranges that a case draws from.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draw_{seed}, round_{draw_.chance(40)} { s_.seed = seed; }

  Scenario make() {
    make_tree();
    s_.quantum = draw_.one_of({Duration{3 * ns}, Duration{100 * ns}, Duration{1000 * ns}, Duration{10'000 * ns}});
    s_.observed = draw_.chance(30);
    s_.foreign_latency = Duration{draw_.between(0, 800) * ns};
    const bool closed = s_.seed % 2 == 1;
    const int streams = closed ? draw_.small(0, 3) : draw_.small(1, 6);
    const bool alike = draw_.chance(30);
    if (alike) plan_alike(streams);
    for (int i = 0; !alike && i < streams; ++i) plan(closed ? 300 : 800);
    if (closed) make_exchanges();
    if (!uplinks_.empty() && draw_.chance(closed ? 50 : 20)) make_flips();
    if (draw_.chance(15)) make_strays();
    if (draw_.chance(20)) make_changes();
    last_ = std::max(last_, add_steady(s_, endpoints_));
    make_receive_queues();
    sort_by_time(s_.faults), sort_by_time(s_.flips), sort_by_time(s_.changes);
    sort_planned(s_.planned);
    s_.end = last_ + Duration{2'000'000 * ns};
    if (draw_.chance(10)) s_.end = Instant{last_.time_since_epoch() / 2 + Duration{500 * ns}};  // in the middle of it
    return std::move(s_);
  }

 private:
  Duration duration(std::int64_t most_ns) {
    return round_ ? Duration{draw_.between(0, most_ns) * ns} : Duration{draw_.between(0, most_ns * ns)};
  }

  LinkDirection direction() {
    LinkDirection d;
    d.rate = round_ ? draw_.one_of({BitRate{8'000'000'000}, BitRate{16'000'000'000}, BitRate{64'000'000'000}})
                    : draw_.one_of({BitRate{2'000'000'000}, BitRate{31'507'692'307}, BitRate{126'030'769'230},
                                    BitRate{252'061'538'461}, BitRate{504'123'076'923},
                                    BitRate{draw_.between(1'000'000'000, 600'000'000'000)}});
    d.framing = draw_.chance(80) ? pcie::link_framing : Bytes{draw_.between(0, 3) * 4};
    d.propagation = draw_.chance(10) ? Duration{0} : duration(20);
    d.update_fc = draw_.chance(10) ? Duration{0} : duration(200);
    d.ack_interval = draw_.one_of({Duration{0}, Duration{1}, Duration{60 * ns}, duration(300)});
    d.fc_interval = draw_.one_of({Duration{0}, Duration{1}, Duration{100 * ns}, duration(300)});
    return d;
  }

  void connect(NodeId a, NodeId b) {
    const LinkDirection there = direction();
    s_.topology.connect(a, b, there, draw_.chance(60) ? there : direction());
  }

  void make_tree() {
    Topology& t = s_.topology;
    t.seed = draw_.next();
    routers_.push_back(t.add_router("root", {duration(150) + Duration{1}}));
    std::vector<int> depth{0};
    const int switches = draw_.small(0, 5);
    for (int i = 0; i < switches; ++i) {
      const std::size_t at = draw_.below(routers_.size());
      if (depth[at] == 3) continue;
      const NodeId below = t.add_router("switch" + std::to_string(i), {duration(120) + Duration{1}});
      if (draw_.chance(50))
        connect(routers_[at], below);
      else
        connect(below, routers_[at]);
      uplinks_.push_back({below, routers_[at], LinkId{static_cast<std::uint16_t>(t.links.size() - 1)}});
      routers_.push_back(below);
      depth.push_back(depth[at] + 1);
    }
    const int endpoints = draw_.small(2, 12);
    for (int i = 0; i < endpoints; ++i) {
      const NodeId e = t.add_endpoint("endpoint" + std::to_string(i), endpoint());
      const NodeId at = routers_[draw_.below(routers_.size())];
      if (draw_.chance(50))
        connect(at, e);
      else
        connect(e, at);
      endpoints_.push_back(e);
    }
    tight_ = draw_.small(0, 2);
    for (Link& link : t.links)
      for (int d = 0; d < 2; ++d) set_credits(link.direction[static_cast<std::size_t>(d)]);
  }

  Endpoint endpoint() {
    Endpoint e;
    e.max_payload = draw_.one_of({Bytes{128}, Bytes{256}, Bytes{256}, Bytes{512}});
    e.max_read_request = draw_.one_of({Bytes{128}, Bytes{512}, Bytes{512}, Bytes{4096}});
    e.max_completion = draw_.chance(50) ? e.max_payload : Bytes{64 * draw_.between(1, e.max_payload.count() / 64)};
    e.tags = draw_.one_of({1, 2, 8, 64, 256});
    e.ecrc = draw_.chance(20);
    e.completion_timeout = Duration{draw_.between(100, 5000) * ns};
    for (ServiceTime& service : e.service) {
      if (draw_.chance(50)) service.per_tlp = duration(draw_.one_of({4, 4, 40}));
      if (draw_.chance(50)) service.rate = BitRate{draw_.between(20, 2000) * 1'000'000'000};
    }
    e.read_latency = draw_.chance(20) ? Duration{0} : duration(600);
    e.read_jitter = draw_.chance(50) ? Duration{0} : duration(400);
    e.read_rate = draw_.chance(40) ? BitRate{} : BitRate{draw_.between(20, 2000) * 1'000'000'000};
    e.external = draw_.chance(12);
    e.reaction = draw_.chance(50) ? Duration{0} : duration(300);
    e.channels = 0;
    return e;
  }

  void set_credits(LinkDirection& d) {
    constexpr std::array<int, pcie::tlp_classes> least{32, 3, 32};
    for (std::size_t c = 0; c < pcie::tlp_classes; ++c) {
      Credits& credits = d.credits[c];
      switch (tight_ == 2 ? draw_.small(0, 2) : tight_) {
        case 0:
          break;
        case 1:
          credits = {128, 2048};
          break;
        default:
          credits.header = draw_.small(1, 6);
          credits.data = draw_.chance(20) ? 0 : draw_.small(least[c], 3 * least[c]);
      }
    }
  }

  // ------------------------------------------------------------------------------------------ traffic

  NodeId any_endpoint() { return endpoints_[draw_.below(endpoints_.size())]; }
  NodeId other_than(NodeId node) {
    for (;;)
      if (const NodeId other = any_endpoint(); other != node) return other;
  }
  Endpoint& at(NodeId node) { return s_.topology.nodes[node.value()].endpoint; }

  Bytes size() {
    switch (draw_.small(0, 4)) {
      case 0:
        return Bytes{4096};
      case 1:
        return Bytes{draw_.between(0, 64)};
      case 2:
        return Bytes{draw_.one_of({64, 128, 256, 512, 1500, 8192})};
      default:
        return Bytes{draw_.between(1, 5000)};
    }
  }

  std::uint64_t address(bool odd) {
    const std::uint64_t page = draw_.below(64) * 4096 + (draw_.chance(20) ? (std::uint64_t{1} << 32) - 8192 : 0);
    return page + (odd ? draw_.below(4096) : draw_.chance(30) ? draw_.below(64) * 64 : 0);
  }

  Operation operation(int writes) {
    if (draw_.chance(writes)) return draw_.chance(95) ? Operation::memory_write : Operation::message;
    return draw_.chance(75) ? Operation::memory_read
                            : draw_.one_of({Operation::atomic, Operation::config_read, Operation::config_write});
  }

  /// One stream of planned transactions of about `tlps` TLPs at most.
  void plan(int tlps) {
    const NodeId from = any_endpoint();
    NodeId to = other_than(from);
    const ChannelIndex channel =
        draw_.chance(20) && at(from).channels > 0 ? ChannelIndex{1} : new_channel(s_.topology, from);
    const bool odd = draw_.chance(40), fixed_size = draw_.chance(50), spread = draw_.chance(25);
    const bool translated = draw_.chance(20), relaxed = draw_.chance(25), by_id = draw_.chance(25),
               mixed = draw_.chance(20);
    const int writes = draw_.one_of({100, 100, 80, 50, 0}), answers = draw_.one_of({0, 0, 10}),
              notices = draw_.one_of({0, 0, 5, 50});
    const Bytes usual = size();
    const Duration gap{draw_.one_of<std::int64_t>({0, 5 * ns, 50 * ns, 166'160'000, 1000 * ns, 5000 * ns})};
    const int law = draw_.small(0, 2);  // regular, jittered, bursts
    const int burst = draw_.small(2, 30);
    Instant ready{duration(2000)};
    for (int i = 0; tlps > 0 && i < 400; ++i) {
      Transaction t;
      if (spread) to = other_than(from);
      t.target = to;
      t.op = operation(writes);
      t.purpose = static_cast<pcie::Purpose>(draw_.below(pcie::purposes));
      t.bytes = fixed_size ? usual : size();
      if (t.op == Operation::atomic) t.bytes = Bytes{draw_.one_of({4, 8, 16})};
      if (t.op == Operation::config_read || t.op == Operation::config_write) t.bytes = Bytes{4};
      t.address = address(odd);
      t.relaxed_ordering = mixed ? draw_.chance(50) : relaxed;
      t.id_based_ordering = mixed ? draw_.chance(50) : by_id;
      t.translated = translated;
      if (request_class(t.op) == pcie::TlpClass::non_posted && draw_.chance(answers))
        t.answer =
            draw_.one_of({pcie::Status::unsupported_request, pcie::Status::completer_abort, pcie::Status::no_answer});
      t.notify_target = draw_.chance(notices);
      t.notify_requester = draw_.chance(notices);
      t.ready = ready + (law == 1 ? Duration{draw_.between(0, gap.count())} : Duration{0});
      last_ = std::max(last_, t.ready);
      s_.planned.push_back({from, channel, t});
      tlps -= static_cast<int>(t.bytes.count() / at(from).max_payload.count()) + 1;
      if (law != 2)
        ready += gap;
      else if (i % burst == burst - 1)
        ready += gap * burst;
    }
  }

  /// Streams of equal packets at equal gaps that compete for one target: what computes as trains.
  void plan_alike(int streams) {
    const NodeId to = any_endpoint();
    const bool reads = draw_.chance(25), jittered = draw_.chance(30);
    const std::int64_t size = draw_.one_of<std::int64_t>({256, 1024, 4096, 4096, 16384});
    const Duration gap = draw_.one_of({Duration{166'160'000}, Duration{332'320'000}, duration(1000)});
    const int notices = draw_.one_of({0, 0, 0, 10});
    for (int i = 0; i < streams; ++i) {
      const NodeId from = other_than(to);
      const ChannelIndex channel = new_channel(s_.topology, from);
      const Duration offset = duration(100);
      for (std::int64_t packet = 0; packet < (1 << 18) / size && packet < 120; ++packet) {
        Transaction t;
        t.target = to;
        t.op = reads ? Operation::memory_read : Operation::memory_write;
        t.bytes = Bytes{size};
        t.address = static_cast<std::uint64_t>(packet * size);
        t.ready = Instant{packet * gap + offset + (jittered ? duration(gap / Duration{ns} + 1) : Duration{0})};
        t.notify_target = !reads && draw_.chance(notices);
        t.notify_requester = reads && draw_.chance(notices);
        last_ = std::max(last_, t.ready);
        s_.planned.push_back({from, channel, t});
      }
    }
  }

  // ------------------------------------------------------------------------------------------ closed loops

  Seat seat(NodeId node) { return {node, new_channel(s_.topology, node)}; }

  void make_exchanges() {
    const int n = draw_.small(1, 4);
    for (int i = 0; i < n; ++i) {
      Exchange r;
      r.kind = draw_.one_of({Exchange::Kind::read_chain, Exchange::Kind::ping_pong, Exchange::Kind::receive_ring});
      const NodeId a = any_endpoint(), b = other_than(a);
      r.a = seat(a);
      r.b = seat(b);
      r.depth = draw_.one_of({1, 1, 4, 16});
      r.rounds = draw_.small(10, 120);
      r.op = draw_.chance(80) ? Operation::memory_read : draw_.one_of({Operation::atomic, Operation::config_write});
      r.bytes = r.kind == Exchange::Kind::ping_pong || r.op != Operation::memory_read ? Bytes{draw_.one_of({4, 8, 16})}
                                                                                      : size();
      r.think = draw_.chance(50) ? Duration{0} : duration(200);
      r.begin = Instant{duration(3000)};
      last_ = std::max(last_, r.begin + Duration{20'000 * ns});
      if (r.kind == Exchange::Kind::receive_ring) fill_ring(r);
      s_.exchanges.push_back(std::move(r));
    }
    if (draw_.chance(40)) make_faults();
  }

  void fill_ring(Exchange& r) {
    NodeId host = any_endpoint();
    while (host == r.a.node) host = any_endpoint();
    r.c = seat(host);
    const Duration gap = duration(400);
    Instant at = r.begin;
    for (int i = 0; i < r.rounds; ++i, at += gap) r.frames.push_back(at);
    last_ = std::max(last_, at);
  }

  Instant any_time() {
    const Duration t{draw_.between(0, femtoseconds(last_))};
    return Instant{round_ ? t - t % Duration{ns} : t};
  }

  /// Completers with one receive queue, by numbers of their own.
  void make_receive_queues() {
    Draw draw{s_.seed ^ 0x0e0e};
    if (!draw.chance(20)) return;
    std::vector<NodeId> peers;
    for (const NodeId node : endpoints_) {
      if (at(node).external || !draw.chance(80)) continue;
      at(node).one_queue = draw.small(1, 8);
      peers.push_back(node);
    }
    if (peers.size() >= 2 && draw.chance(60)) make_peer_reads(draw, peers[0], peers[1]);
  }

  /// Two of them read from each other with few credits for completions: most of these cases end in a deadlock.
  void make_peer_reads(Draw& draw, NodeId a, NodeId b) {
    for (Link& link : s_.topology.links)
      for (LinkDirection& d : link.direction)
        if (draw.chance(80)) d.credits[2] = {draw.small(1, 3), 32 * draw.small(1, 3)};
    const std::pair<NodeId, NodeId> ways[] = {{a, b}, {b, a}};
    for (const auto& [from, to] : ways) {
      const ChannelIndex channel = new_channel(s_.topology, from);
      for (int i = 0; i < 80; ++i) {
        Transaction t;
        t.target = to;
        t.op = Operation::memory_read;
        t.bytes = Bytes{draw.one_of({256, 512, 2048})};
        t.address = draw.below(64) * 64;
        t.ready = Instant{Duration{draw.between(0, 3000 * ns)}};
        s_.planned.push_back({from, channel, t});
      }
    }
  }

  void make_faults() {
    const int n = draw_.small(1, 3);
    for (int i = 0; i < n; ++i) {
      const LinkId link{static_cast<std::uint16_t>(draw_.below(s_.topology.links.size()))};
      const Instant down = any_time();
      s_.faults.push_back({down, link, false});
      if (draw_.chance(90)) s_.faults.push_back({down + duration(4000), link, true});
    }
  }

  /// Peer traffic below one switch goes up to its parent and down again for a while.
  void make_flips() {
    const Uplink& up = uplinks_[draw_.below(uplinks_.size())];
    std::vector<std::pair<LinkId, NodeId>> leaves;
    for (std::size_t l = 0; l < s_.topology.links.size(); ++l) {
      const Link& link = s_.topology.links[l];
      const NodeId other = link.a == up.router ? link.b : link.a;
      if ((link.a == up.router || link.b == up.router) && s_.topology.nodes[other.value()].is_endpoint)
        leaves.push_back({LinkId{static_cast<std::uint16_t>(l)}, other});
    }
    for (const auto& [in, from] : leaves)
      for (const auto& [out, to] : leaves) {
        if (from == to || draw_.chance(30)) continue;
        const Instant at = any_time();
        for (std::size_t kind = 0; kind < pcie::route_kinds; ++kind) {
          if (draw_.chance(25)) continue;
          Route route{up.router, in, static_cast<pcie::RouteKind>(kind), to, up.link};
          s_.flips.push_back({at, route});
          route.egress = out;
          if (draw_.chance(75)) s_.flips.push_back({at + duration(3000), route});
        }
      }
  }

  /// Some TLPs end at an endpoint that they are not meant for, for a while.
  void make_strays() {
    s_.topology.strays = true;
    for (Node& node : s_.topology.nodes)
      if (draw_.chance(30)) node.endpoint.misdirected = pcie::Status::completer_abort;
    const int n = draw_.small(1, 8);
    for (int i = 0; i < n; ++i) {
      const Link& trap = s_.topology.links[draw_.below(s_.topology.links.size())];
      const bool a = s_.topology.nodes[trap.a.value()].is_endpoint, b = s_.topology.nodes[trap.b.value()].is_endpoint;
      if (a == b) continue;
      const NodeId router = a ? trap.b : trap.a, leaf = a ? trap.a : trap.b;
      std::vector<LinkId> ports;
      for (std::size_t l = 0; l < s_.topology.links.size(); ++l) {
        const Link& link = s_.topology.links[l];
        if (link.a == router || link.b == router) ports.push_back(LinkId{static_cast<std::uint16_t>(l)});
      }
      const LinkId egress{static_cast<std::uint16_t>(&trap - s_.topology.links.data())};
      const NodeId target = other_than(leaf);
      const LinkId way_back = next_link(router, target);
      const auto kind = static_cast<pcie::RouteKind>(draw_.below(draw_.chance(20) ? pcie::route_kinds : 2));
      Route route{router, ports[draw_.below(ports.size())], kind, target, egress};
      const Instant at = any_time();
      s_.flips.push_back({at, route});
      route.egress = way_back;
      if (draw_.chance(70)) s_.flips.push_back({at + duration(5000), route});
    }
  }

  LinkId next_link(NodeId router, NodeId target) const {
    const Wiring wiring{s_.topology};
    return wiring.ports(router)[static_cast<std::size_t>(wiring.next_port(router, target))].link;
  }

  void make_changes() {
    if (draw_.chance(50))
      for (Link& link : s_.topology.links)
        for (LinkDirection& d : link.direction) {
          if (draw_.chance(50)) d.bits_per_error = draw_.between(2000, 1'000'000);
          d.replay_delay = duration(500);
        }
    const int n = draw_.small(0, 6);
    for (int i = 0; i < n; ++i) {
      Change c{.at = any_time()};
      c.kind = draw_.one_of({Change::Kind::rate, Change::Kind::timing, Change::Kind::leak, Change::Kind::strike});
      c.link = LinkId{static_cast<std::uint16_t>(draw_.below(s_.topology.links.size()))};
      c.direction = draw_.small(0, 1);
      const LinkDirection other = direction();
      c.rate = other.rate;
      c.timing = {other.rate, other.framing, other.ack_interval, other.fc_interval};
      c.tlp_class = static_cast<pcie::TlpClass>(draw_.below(pcie::tlp_classes));
      c.lost = {draw_.small(0, 2), draw_.small(0, 10)};
      s_.changes.push_back(c);
    }
  }

  struct Uplink {
    NodeId router{}, parent{};
    LinkId link{};
  };

  Draw draw_;
  bool round_;  ///< times in whole nanoseconds at rates of whole bytes a nanosecond: many ties
  int tight_ = 0;
  Scenario s_;
  std::vector<NodeId> routers_, endpoints_;
  std::vector<Uplink> uplinks_;
  Instant last_{};
};

}  // namespace

Scenario generate_tree(std::uint64_t seed) { return Generator{seed}.make(); }

}  // namespace peerpath::fabric::differential
