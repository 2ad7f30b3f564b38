// States of a whole domain that come again are fast-forwarded: what is delivered and counted, and what the gates are
// asked, is what the reference says, whatever comes in between and wherever a limit of `advance` lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::Operation;

constexpr std::int64_t never = 1'000'001;

/// Delays all TLPs alike, but for one, which it holds up. It keeps what it was asked, in any order, in one number.
class OneMiss final : public Gate {
 public:
  OneMiss(std::int64_t miss, std::int64_t& alike) : joins_{miss % 2 == 0}, left_{miss}, alike_{alike} {}

  Instant pass(const GatedTlp& tlp) override {
    hear(tlp);
    return tlp.at + (left_-- == 0 ? hit + 310ns : hit);
  }
  GatedRun pass_run(const GatedTlp& tlp, Duration, std::int32_t count) override {
    GatedRun run{pass(tlp), 1};
    if (!joins_ || run.first != tlp.at + hit) return run;
    GatedTlp next = tlp;
    for (; run.count < count && left_ != 0; ++run.count) next.address += bytes(tlp), pass(next);
    return run;
  }
  bool all_alike(std::span<const AlikeTlps> tlps) const override {
    EXPECT_TRUE(std::ranges::is_sorted(tlps, {}, [](const AlikeTlps& run) { return run.first.at + run.span; }));
    std::int64_t count = 0;
    for (const AlikeTlps& run : tlps) count += run.delay == hit ? run.count : never;
    return count < never && (left_ < 0 || count <= left_);
  }
  void pass_alike(std::span<const AlikeTlps> tlps) override {
    for (const AlikeTlps& run : tlps) {
      alike_ += run.count;
      GatedTlp next = run.first;
      for (std::int32_t i = 0; i < run.count; ++i) pass(next), next.address += bytes(next);
    }
  }
  std::int64_t heard() const { return static_cast<std::int64_t>(heard_); }

 private:
  static constexpr Duration hit = 12ns;
  static std::uint64_t bytes(const GatedTlp& tlp) { return static_cast<std::uint64_t>(tlp.bytes.count()); }
  void hear(const GatedTlp& tlp) {
    heard_ += mix(tlp.address ^ bytes(tlp) << 50 ^ std::uint64_t{tlp.requester.value()} << 40 ^
                  static_cast<std::uint64_t>(tlp.tlp_class) << 48);
  }
  bool joins_;  ///< whether it answers for several at once
  std::uint64_t heard_ = 0;
  std::int64_t left_;
  std::int64_t& alike_;  ///< of so many it has said that they are, which is only asked in fast-forwarding
};

enum End : std::size_t { a, b, c, m };  ///< three below a switch, one beside it at the root

struct Flow {
  End from, to;
  Operation op;
  Bytes bytes;
  Duration period, offset;
};

struct Setting {
  const char* name = "";
  std::vector<Flow> flows;
  BitRate rate_of_c = 504_Gbps;
  int credits = 0;         ///< headers of each class but completions; 0: no end of them
  bool at_root = false;    ///< where the gate is: at the root, or for what comes from `a` at the switch
  std::int64_t miss = -1;  ///< TLPs before one is held up there; -1: there is no gate
};

std::ostream& operator<<(std::ostream& out, const Setting& s) { return out << s.name; }

const Setting two_writers{
    "writes of two",
    {{a, c, Operation::memory_write, 4_KiB, 400ns, 10ns}, {b, c, Operation::memory_write, 2_KiB, 200ns, 60ns}}};
const Setting reads_beside_writes{"reads beside writes",
                                  {{a, c, Operation::memory_read, 2_KiB, 300ns, 0ns},
                                   {b, c, Operation::memory_write, 1_KiB, 300ns, 120ns},
                                   {c, m, Operation::memory_write, 8_B, 300ns, 200ns}}};
/// DLLPs come between the TLPs of one packet.
const Setting both_ways{
    "both ways",
    {{a, c, Operation::memory_write, 4_KiB, 400ns, 10ns}, {b, a, Operation::memory_write, 2_KiB, 400ns, 35ns}}};
/// TLPs of one packet still leave the switch when the next one starts.
const Setting backlog{
    "a slow last link",
    {{a, c, Operation::memory_write, 4_KiB, 310ns, 10ns}, {b, m, Operation::memory_write, 8_B, 310ns, 170ns}},
    126_Gbps};

/// TLPs of two come to a gate by turns.
const Setting through_root{
    "by turns at the root",
    {{a, m, Operation::memory_write, 4_KiB, 400ns, 10ns}, {b, m, Operation::memory_write, 4_KiB, 400ns, 60ns}},
    504_Gbps,
    0,
    true};

Setting with_credits(Setting s, int headers) {
  s.credits = headers;
  return s;
}

Setting with_miss(Setting s, std::int64_t at) {
  s.miss = at;
  return s;
}

/// The domain as a mode computes it.
struct Domain final : DeliverySink, TlpObserver {
  Topology topology;
  NodeId sw, root;
  std::array<NodeId, 4> ends;
  std::vector<Delivery> deliveries;
  std::vector<RequestId> requests;
  std::unique_ptr<Gate> gate;
  std::int64_t alike = 0;
  std::unique_ptr<Fabric> fabric;
  Instant now{};
  std::vector<std::uint64_t> sent;  ///< by flow

  Domain(Mode mode, const Setting& s) : sent(s.flows.size()) {
    root = topology.add_router("root", {150ns});
    sw = topology.add_router("switch", {110ns});
    Endpoint end;
    end.service[0].per_tlp = 2ns;
    end.read_latency = 600ns;
    end.reaction = 10ns;
    end.channels = 2;
    LinkDirection line{.rate = 252_Gbps, .propagation = 10ns, .update_fc = 60ns};
    line.credits = {{{s.credits, 16 * s.credits}, {s.credits, 0}, {0, 0}}};
    line.ack_interval = 60ns;
    line.fc_interval = 100ns;
    LinkDirection from_a = line, to_c = line, to_root = line;
    to_c.rate = s.rate_of_c;
    to_c.propagation = 200ns;
    if (s.miss >= 0) {
      gate = std::make_unique<OneMiss>(s.miss, alike);
      (s.at_root ? to_root : from_a).gate = gate.get();
    }
    const std::array<const char*, 4> names{"a", "b", "c", "m"};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      end.external = i == m;
      ends[i] = topology.add_endpoint(names[i], end);
    }
    topology.connect(ends[a], sw, from_a, line);
    topology.connect(ends[b], sw, line, line);
    topology.connect(ends[c], sw, line, to_c);
    topology.connect(sw, root, to_root, line);
    topology.connect(ends[m], root, line, line);
    EXPECT_TRUE(validate(topology).empty());
    fabric = make_fabric(topology, *this, mode);
  }
  void deliver(const Delivery& d) override {
    d.kind == DeliveryKind::requested ? requests.push_back(d.request) : deliveries.push_back(d);
  }
  void observe(const TlpRecord&) override {}

  void submit(const Flow& flow, std::uint64_t cookie, Instant ready, ChannelIndex channel = ChannelIndex{1},
              bool notify = false) {
    Transaction t;
    t.cookie = cookie;
    t.target = ends[flow.to];
    t.op = flow.op;
    t.address = cookie % 31 * 4096;
    t.bytes = flow.bytes;
    t.ready = ready;
    t.notify_requester = t.notify_target = notify;
    fabric->submit(ends[flow.from], channel, t);
  }
  void send(const Setting& s, Instant before) {
    for (std::size_t f = 0; f < s.flows.size(); ++f)
      for (const Flow& flow = s.flows[f];; ++sent[f]) {
        const Instant ready{flow.offset + static_cast<std::int64_t>(sent[f]) * flow.period};
        if (ready >= before) break;
        submit(flow, f << 32 | sent[f], ready);
      }
  }
  void counts(std::vector<std::int64_t>& all) const {
    for (std::uint16_t link = 0; link < 5; ++link)
      for (const int direction : {0, 1}) {
        const DirectionCounters x = fabric->counters(LinkId{link}, direction);
        all.insert(all.end(), {x.dllps, x.busy.count(), x.queueing.count(), x.credit_stall.count()});
        for (const Tally& tally : x.tallies)
          all.insert(all.end(), {tally.tlps, tally.payload.count(), tally.overhead.count()});
      }
  }
};

struct Outcome {
  std::vector<std::int64_t> seen;
  std::int64_t alike = 0;
};

/// What happens before the i-th `advance`.
using Act = std::function<void(Domain&, std::vector<std::int64_t>& seen, int i)>;

void nothing(Domain&, std::vector<std::int64_t>&, int) {}

Outcome play(Mode mode, const Setting& s, Duration step, const Act& act, Duration span = 40us) {
  Domain domain{mode, s};
  Outcome out;
  int i = 0;
  const auto reach = [&](Instant limit) {
    while (domain.now < limit) {
      domain.now = domain.fabric->advance(limit);
      out.seen.push_back(
          std::ranges::count_if(domain.deliveries, [&](const Delivery& d) { return d.done <= domain.now; }));
    }
  };
  while (domain.now < Instant{span}) {
    domain.send(s, domain.now + step);
    act(domain, out.seen, i++);
    reach(domain.now + step);
  }
  reach(Instant{span + 100us});
  std::ranges::sort(domain.deliveries, {}, &Delivery::cookie);
  for (const Delivery& d : domain.deliveries)
    out.seen.insert(out.seen.end(), {static_cast<std::int64_t>(d.cookie), femtoseconds(d.done)});
  domain.counts(out.seen);
  if (domain.gate) out.seen.push_back(static_cast<const OneMiss&>(*domain.gate).heard());
  out.alike = domain.alike;
  return out;
}

void expect_same(const Setting& s, Duration step, const Act& act = nothing, Duration span = 40us) {
  const auto expected = play(Mode::event, s, step, act, span).seen;
  for (const Mode mode : {Mode::tlp, Mode::train}) {
    const auto got = play(mode, s, step, act, span).seen;
    ASSERT_EQ(expected.size(), got.size());
    const auto differ = std::ranges::mismatch(expected, got);
    EXPECT_EQ(differ.in1, expected.end())
        << s << (mode == Mode::tlp ? " by TLPs" : " by trains") << ", limits " << step.count() << " fs apart: place "
        << differ.in1 - expected.begin() << " of " << expected.size() << " is " << *differ.in2 << ", not "
        << *differ.in1;
  }
}

constexpr std::array<Duration, 4> steps{Duration{1us}, Duration{733'000'001}, Duration{3'141'592'653}, Duration{10us}};

class Recurrence : public ::testing::TestWithParam<Setting> {};

TEST_P(Recurrence, TimesAndCountsAreThoseOfTheReference) {
  for (const Duration step : steps) expect_same(GetParam(), step);
}

TEST_P(Recurrence, IsFastForwardedUnlessSomebodyObserves) {
  const Setting s = with_miss(GetParam(), never);
  const Act observe = [](Domain& d, auto&, int) { d.fabric->observe(&d); };
  EXPECT_EQ(play(Mode::event, s, 1us, nothing).alike, 0);
  for (const Mode mode : {Mode::tlp, Mode::train}) {
    const Outcome forwarded = play(mode, s, 1us, nothing, 200us), played = play(mode, s, 1us, observe, 200us);
    EXPECT_EQ(forwarded.seen, played.seen);
    EXPECT_EQ(played.alike, 0);
    EXPECT_GT(forwarded.alike, s.flows[0].op == Operation::memory_write ? 4000 : 1000);
  }
}

/// Every now and then, with long steps too.
bool due(int i) { return i == 2 || i % 11 == 5; }

TEST_P(Recurrence, WhoeverLooksFindsTheTimeReached) {
  for (const Duration step : steps)
    expect_same(GetParam(), step, [](const Domain& d, auto& seen, int i) {
      if (due(i)) d.counts(seen);
    });
}

TEST_P(Recurrence, SomethingIsChangedInBetween) {
  const std::array<std::function<void(Domain&, int)>, 4> changes{
      [](Domain& d, int i) { d.fabric->set_rate(LinkId{2}, 1, i % 2 == 0 ? 252_Gbps : 504_Gbps); },
      [](Domain& d, int) { d.fabric->set_link(LinkId{1}, false); },
      [](Domain& d, int) {
        d.fabric->leak_credits(LinkId{0}, 0, pcie::TlpClass::posted, {1, 16});
      },
      [](Domain& d, int i) {
        const LinkId way = i % 2 == 0 ? LinkId{3} : LinkId{2};  // redirected, direct
        for (const LinkId from : {LinkId{0}, LinkId{1}})
          d.fabric->set_route({d.sw, from, pcie::RouteKind::request, d.ends[c], way});
      },
  };
  for (const Duration step : steps)
    for (const auto& change : changes)
      expect_same(GetParam(), step, [&](Domain& d, auto&, int i) {
        if (due(i)) change(d, i);
        if (due(i - 1)) d.fabric->set_link(LinkId{1}, true);
      });
}

TEST_P(Recurrence, OthersJoin) {
  const Flow joins{b, c, Operation::memory_write, 640_B, 0ns, 0ns};
  for (const bool notify : {false, true})
    for (const Duration step : steps)
      expect_same(GetParam(), step, [&](Domain& d, auto&, int i) {
        if (due(i)) d.submit(joins, 1ull << 60 | static_cast<unsigned>(i), d.now + 77ns, ChannelIndex{2}, notify);
      });
}

TEST_P(Recurrence, ADeviceAnswersLate) {
  const Flow asks{b, m, Operation::memory_read, 512_B, 0ns, 0ns};
  for (const Duration step : steps)
    expect_same(GetParam(), step, [&](Domain& d, auto&, int i) {
      if (i == 1) d.submit(asks, 1ull << 60, d.now + 33ns, ChannelIndex{2});
      if (d.now < Instant{24us} || d.requests.empty()) return;
      for (const RequestId request : d.requests) d.fabric->respond(request, d.now + 5ns, pcie::Status::success);
      d.requests.clear();
    });
}

/// What is answered in part is nowhere to be seen, and others of its flow come behind it.
TEST(RecurrenceOfAnswers, ADeviceAnswersHalfOfARead) {
  const Setting s{
      "reads behind a read",
      {{a, c, Operation::memory_write, 4_KiB, 400ns, 10ns}, {b, c, Operation::memory_read, 512_B, 5us, 2us}}};
  const Flow asks{b, m, Operation::memory_read, 1_KiB, 0ns, 0ns};
  for (const Duration step : {Duration{5us}, Duration{10us}, Duration{20us}})
    expect_same(
        s, step,
        [&](Domain& d, auto&, int i) {
          const auto answer = [&](std::size_t some) {
            for (; some > 0 && !d.requests.empty(); --some, d.requests.erase(d.requests.begin()))
              d.fabric->respond(d.requests.front(), d.now + 5ns, pcie::Status::success);
          };
          if (i % 3 == 0) d.submit(asks, 1ull << 60 | static_cast<unsigned>(i), d.now + 33ns);
          if (i % 3 == 1) answer(1);
          if (i % 3 == 2) answer(2);
        },
        400us);
}

INSTANTIATE_TEST_SUITE_P(Settings, Recurrence,
                         ::testing::Values(two_writers, reads_beside_writes, both_ways, backlog, through_root,
                                           with_credits(two_writers, 64), with_credits(reads_beside_writes, 64),
                                           with_credits(backlog, 20)));

TEST(RecurrenceAtAGate, HoldsOneTlpUpAfterMany) {
  for (const Setting& s : {two_writers, both_ways, backlog, through_root})
    for (const Duration step : {Duration{1us}, Duration{733'000'001}})
      for (std::int64_t miss = 300; miss < 340; ++miss) expect_same(with_miss(s, miss), step, nothing, 20us);
}

}  // namespace
}  // namespace peerpath::fabric
