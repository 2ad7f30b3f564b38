// What endpoints promise lets the computed engine look far ahead, but not past what they may still do to each other.
#include "fabric/test_pair.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::fabric {
namespace {

using namespace test;

/// `b` rings at `a`, which rings back at once; then `b` has something to say to `c`, to which it is writing for long.
struct Doorbells : Pair {
  std::unique_ptr<Fabric> engine;
  std::vector<Delivery> notices;

  explicit Doorbells(Mode mode) {
    t.reconfigures = false;
    t.side_latency = std::chrono::hours{1};
    engine = make_fabric(t, *this, mode);
    engine->observe(this);
  }
  void deliver(const Delivery& d) override {
    if (d.notify) notices.push_back(d);
  }
  void ring(NodeId from, NodeId to, Instant when, bool noticed) {
    engine->submit(from, own, {.target = to, .notify_target = noticed, .bytes = 4_B, .ready = when});
  }
  void run(Instant end) {
    for (Instant now{}; now < end;) {
      now = engine->advance(end);
      for (const Delivery& d : std::exchange(notices, {})) {
        ASSERT_EQ(d.done, now) << "notices come in time to react to them";
        ring(d.target, d.target == a ? b : c, now, d.target == a);
      }
    }
  }
};

class Promises : public testing::TestWithParam<Mode> {};

TEST_P(Promises, WhoIsToldOfANoticeElsewhereReactsToThat) {
  Doorbells all{GetParam()};
  all.ring(all.b, all.a, at(0ns), true);
  all.engine->submit(all.b, second, {.target = all.c, .bytes = 1_KiB});
  all.run(at(10us));
  // A doorbell takes 16 ns, its way 120 ns: `a` hears the first at 136 ns, `b` the second at 272 ns. The third waits
  // for the TLP of 140 ns that is on the line, and goes before the next one.
  EXPECT_EQ(all.starts(1, 0), (Times{0, 16, 156, 296, 312, 452, 592, 732, 872, 1012}));
}

/// Lets all pass as they come, and counts the runs in which they do.
struct CountRuns : Gate {
  int runs = 0;
  Instant pass(const GatedTlp& tlp) override { return tlp.at; }
  GatedRun pass_run(const GatedTlp& tlp, Duration, std::int32_t count) override {
    ++runs;
    return {tlp.at, count};
  }
};

TEST(PromiseNeverToReact, LetsATrainGoOnToItsEnd) {
  Pair pair;
  CountRuns gate;
  pair.t.reconfigures = false;
  pair.t.side_latency = std::chrono::hours{1};
  for (const NodeId each : {pair.a, pair.b, pair.c}) pair.endpoint(each).reaction = Duration::max();
  pair.up(0).gate = &gate;
  const auto engine = make_fabric(pair.t, pair, Mode::train);
  Transaction write = pair.write(16_KiB);
  write.notify_target = true;
  engine->submit(pair.a, own, write);
  engine->advance(at(1ms));
  EXPECT_EQ(pair.deliveries.size(), 1u);
  EXPECT_LE(gate.runs, 2) << "of 128 TLPs";
}

/// Tells `a` when its second write has left, upon which it rings at once by another channel.
struct Departures : Pair {
  std::unique_ptr<Fabric> engine;
  std::vector<Delivery> notices;

  explicit Departures(Mode mode) {
    t.reconfigures = false;
    t.side_latency = std::chrono::hours{1};
    engine = make_fabric(t, *this, mode);
    engine->observe(this);
  }
  void deliver(const Delivery& d) override {
    deliveries.push_back(d);
    if (d.notify) notices.push_back(d);
  }
};

TEST_P(Promises, WhoIsToldThatAWriteHasLeftMayFollowItAtOnce) {
  Departures all{GetParam()};
  Transaction first = all.write(256_B), told = first;
  first.tell_sent = told.tell_sent = told.notify_sent = true;
  told.bytes = 4_B;
  told.cookie = 7;
  all.engine->submit(all.a, own, first);
  all.engine->submit(all.a, own, told);
  all.engine->submit(all.a, own, all.write(1_KiB));
  for (Instant now{}; now < at(10us);) {
    now = all.engine->advance(at(10us));
    for (const Delivery& d : std::exchange(all.notices, {})) {
      EXPECT_EQ(d.kind, DeliveryKind::sent);
      EXPECT_EQ(d.cookie, 7u);
      ASSERT_EQ(d.done, now) << "notices come in time to react to them";
      all.engine->submit(all.a, second, {.target = all.b, .bytes = 4_B, .ready = now});
    }
  }
  // Two TLPs of 140 ns, one of 16 ns that is told of; the doorbell and the next write take turns.
  const auto starts = all.starts(0, 0);
  ASSERT_GE(starts.size(), 5u);
  EXPECT_EQ((Times{starts.begin(), starts.begin() + 5}), (Times{0, 140, 280, 296, 312}));
  std::vector<std::int64_t> sent;
  for (const Delivery& d : all.deliveries)
    if (d.kind == DeliveryKind::sent) sent.push_back(ns(d.done));
  EXPECT_EQ(sent, (Times{280, 296}));
}

INSTANTIATE_TEST_SUITE_P(BothModes, Promises, testing::Values(Mode::event, Mode::train),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace peerpath::fabric
