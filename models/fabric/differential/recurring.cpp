#include "fabric/differential/recurring.hpp"

#include <algorithm>

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"
#include "fabric/differential/redirected.hpp"
#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric::differential {
namespace {

/// Takes out what keeps states from coming again.
void quieten(Scenario& s, Draw& draw) {
  s.planned.clear(), s.exchanges.clear(), s.flips.clear(), s.changes.clear(), s.faults.clear(), s.gates.clear();
  s.topology.strays = s.topology.reconfigures = s.observed = false;
  const bool some_external = draw.chance(40);
  s.answers_late = draw.chance(80);
  s.foreign_latency = Duration{draw.between(0, draw.one_of({800, 20'000, 100'000})) * ns};
  const bool fast = draw.chance(60);
  for (Link& link : s.topology.links)
    for (LinkDirection& d : link.direction) {
      d.bits_per_error = 0;
      if (fast) d.rate = draw.one_of({BitRate{252'061'538'461}, BitRate{504'123'076'923}});
    }
  for (Node& node : s.topology.nodes) {
    if (!node.is_endpoint) continue;
    node.endpoint.external = some_external && draw.chance(30);
    node.endpoint.read_jitter = {};
    node.endpoint.one_queue = 0;
    if (draw.chance(80)) node.endpoint.max_completion = draw.one_of({Bytes{64}, Bytes{128}, node.endpoint.max_payload});
  }
}

BitRate slowest(const Topology& t) {
  BitRate rate = t.links.front().direction[0].rate;
  for (const Link& link : t.links)
    for (const LinkDirection& d : link.direction) rate = std::min(rate, d.rate);
  return rate;
}

bool is_external(const Scenario& s, NodeId node) { return s.topology.nodes[node.value()].endpoint.external; }

/// Makes the last link to `target` the slowest, so that TLPs pile up before it.
void slow_down(Topology& t, NodeId target) {
  const BitRate rate{slowest(t).bps() / 2};
  for (Link& link : t.links)
    if (link.a == target || link.b == target) link.direction[link.b == target ? 0 : 1].rate = rate;
}

struct RecurringStream {
  NodeId from, to;
  ChannelIndex channel;
  std::int64_t offset = 0, every = 1;
  int reads = 0;  ///< of so many transactions one
  Transaction each;
};

RecurringStream stream(Scenario& s, Draw& draw, const std::vector<NodeId>& ends) {
  RecurringStream a;
  a.from = ends[draw.below(ends.size())];
  do a.to = ends[draw.below(ends.size())];
  while (a.to == a.from);
  a.channel = new_channel(s.topology, a.from);
  a.every = draw.one_of({1, 1, 1, 2, 3});
  a.reads = is_external(s, a.to) ? 0 : draw.one_of({0, 0, 1, 2, 2, 3});
  a.each.target = a.to;
  a.each.bytes = draw.one_of({Bytes{64}, Bytes{256}, Bytes{1024}, Bytes{4096}, Bytes{4096}});
  a.each.relaxed_ordering = draw.chance(15);
  a.each.id_based_ordering = draw.chance(15);
  return a;
}

void submit(Scenario& s, Draw& draw, const RecurringStream& a, Duration period, std::int64_t periods) {
  const int missing = draw.one_of({0, 0, 0, 2});
  const bool new_addresses = draw.chance(50);
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < periods; i += a.every, ++number) {
    if (draw.chance(missing)) continue;
    Transaction t = a.each;
    if (a.reads > 0 && number % a.reads == 0) t.op = pcie::Operation::memory_read;
    t.address = static_cast<std::uint64_t>(new_addresses ? number : number % 7) * 8192;
    t.ready = Instant{i * period + Duration{a.offset}};
    s.planned.push_back({a.from, a.channel, t});
  }
}

/// Where `a` enters the fabric some TLPs are held up, each after many that are not.
void hold_some_up(Scenario& s, Draw& draw, const RecurringStream& a, std::int64_t transactions) {
  const LinkId first = Wiring{s.topology}.ports(a.from).front().link;
  const int direction = s.topology.links[first.value()].a == a.from ? 0 : 1;
  const Bytes each = std::min(s.topology.nodes[a.from.value()].endpoint.max_payload, a.each.bytes);
  const std::int64_t tlps = transactions * (a.each.bytes / each);
  s.gates.push_back({first, direction, draw.next(), draw.between(tlps / 16 + 1, tlps / 2 + 2)});
}

/// Something else that comes in between.
void disturb(Scenario& s, Draw& draw, const std::vector<NodeId>& ends, std::int64_t span) {
  const auto some_time = [&] { return Instant{Duration{draw.between(1, span)}}; };
  const auto some_link = [&] { return LinkId{static_cast<std::uint16_t>(draw.below(s.topology.links.size()))}; };
  for (int i = draw.one_of({0, 0, 1, 3}); i > 0; --i) {
    const RecurringStream a = stream(s, draw, ends);
    Transaction t = a.each;
    if (a.reads > 1 || (is_external(s, a.to) && draw.chance(80))) t.op = pcie::Operation::memory_read;
    t.bytes = Bytes{draw.between(1, 600)};
    t.ready = some_time();
    t.notify_requester = draw.chance(30);
    s.planned.push_back({a.from, a.channel, t});
  }
  for (int i = draw.one_of({0, 0, 0, 1, 2}); i > 0; --i) {
    Change c{.at = some_time(), .kind = Change::Kind::rate, .link = some_link(), .direction = draw.small(0, 1)};
    c.rate = draw.one_of({BitRate{126'030'769'230}, BitRate{252'061'538'461}, BitRate{504'123'076'923}});
    c.timing = {c.rate, Bytes{draw.one_of({0, 8})}, Duration{draw.one_of({0, 20, 200}) * ns},
                Duration{draw.one_of({0, 20, 200}) * ns}};
    c.kind = draw.one_of({Change::Kind::strike, Change::Kind::rate, Change::Kind::timing});
    s.changes.push_back(c);
  }
  if (draw.chance(15)) {
    const LinkId link = some_link();
    const Instant down = some_time();
    s.faults.push_back({down, link, false});
    s.faults.push_back({down + Duration{draw.between(1, 2000 * ns)}, link, true});
  }
  if (draw.chance(50))
    for (std::uint16_t l = 0; l < s.topology.links.size(); ++l)
      for (const int direction : {0, 1})  // gates that mostly let all go on alike
        if (draw.chance(25))
          s.gates.push_back({LinkId{l}, direction, draw.next() / 10 * 10 + (draw.chance(50) ? 0u : 5u)});
}

}  // namespace

void add_recurring(Scenario& s) {
  Draw draw{s.seed ^ 0x4ec0441};
  if (!draw.chance(25)) return;
  quieten(s, draw);
  std::vector<NodeId> ends;
  for (std::uint16_t n = 0; n < s.topology.nodes.size(); ++n)
    if (s.topology.nodes[n].is_endpoint) ends.push_back(NodeId{n});
  const bool may_redirect = draw.chance(60);
  if (may_redirect)
    if (auto below = neighbours(s.topology, 1, Endpoints::all); below.size() > 1 && draw.chance(80)) ends = below;
  std::vector<RecurringStream> streams;
  Bytes bytes{};
  const bool crowded = draw.chance(40);  // TLPs of one transaction are still under way when the next one starts
  for (int i = crowded ? draw.one_of({1, 1, 2}) : draw.one_of({1, 1, 1, 2, 2, 3, 4}); i > 0; --i) {
    streams.push_back(stream(s, draw, ends));
    if (crowded) streams.back().each.bytes = Bytes{4096}, streams.back().every = 1, streams.back().reads = 0;
    bytes += streams.back().each.bytes + Bytes{64};
  }
  if (crowded) slow_down(s.topology, streams.front().to);
  const std::int64_t unit = draw.chance(50) ? ns : 1;
  Duration period{(crowded ? draw.between(0, 60 * ns / unit) : draw.between(100 * ns / unit, 1500 * ns / unit)) * unit};
  // So that no queue grows, or that one takes long to.
  if (crowded || draw.chance(85))
    period += bytes / slowest(s.topology) * draw.one_of({101, 105, 115, 130, 150, 150}) / 100;
  const std::int64_t periods = draw.between(30, crowded ? 400 : 200), span = periods * period.count();
  if (may_redirect) redirect(s, draw, Duration{span});
  s.quantum = draw.one_of({Duration{10'000 * ns}, 3 * period, 10 * period, 40 * period, 7 * period / 2});
  for (RecurringStream& each : streams) {
    each.offset = draw.between(0, period.count());
    submit(s, draw, each, period, periods);
  }
  if (draw.chance(crowded ? 30 : 60)) disturb(s, draw, ends, span);
  if (s.gates.empty() && draw.chance(crowded ? 70 : 30))
    hold_some_up(s, draw, streams.front(), periods / streams.front().every);
  sort_planned(s.planned);
  sort_by_time(s.flips), sort_by_time(s.changes), sort_by_time(s.faults);
  s.end = Instant{Duration{span + 300'000 * ns}};
}

}  // namespace peerpath::fabric::differential
