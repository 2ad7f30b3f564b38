#include "loop/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "peerpath/base/random.hpp"

namespace peerpath::loop {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using testing::ElementsAre;

/// Time of day in nanoseconds, from the start.
Instant at_ns(std::int64_t ns) { return Instant{std::chrono::nanoseconds{ns}}; }

/// A fabric in which everything takes 100 ns from `ready`, computed in reverse order of submission.
class FixedLatency final : public fabric::Fabric {
 public:
  explicit FixedLatency(fabric::DeliverySink& sink) : sink_{sink} {}

  void submit(fabric::NodeId requester, fabric::ChannelIndex channel, const fabric::Transaction& t) override {
    EXPECT_GE(t.ready, horizon_);
    pending_.push_back({.kind = fabric::DeliveryKind::arrived,
                        .notify = t.notify_target,
                        .op = t.op,
                        .requester = requester,
                        .target = t.target,
                        .channel = channel,
                        .cookie = t.cookie,
                        .address = t.address,
                        .bytes = t.bytes,
                        .ready = t.ready,
                        .done = t.ready + 100ns});
    if (t.notify_requester) {
      pending_.push_back(pending_.back());
      pending_.back().kind = fabric::DeliveryKind::completed;
      pending_.back().notify = true;
    }
  }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  Instant advance(Instant limit) override {
    auto h = limit;
    for (const auto& d : pending_)
      if (d.notify && d.ready < h) h = std::min(h, d.done);
    std::erase_if(pending_, [&](const auto& d) {
      if (d.ready < h) started_.push_back(d);
      return d.ready < h;
    });
    for (; !started_.empty(); started_.pop_back()) sink_.deliver(started_.back());
    return horizon_ = h;
  }
  Instant quiet_until() const override { return horizon_; }
  void set_link(fabric::LinkId, bool up) override { links.push_back({horizon_, up}); }
  void set_route(const fabric::Route&) override {}
  void set_timing(fabric::LinkId, int, const fabric::LineTiming&) override {}
  void set_rate(fabric::LinkId, int, BitRate) override {}
  void leak_credits(fabric::LinkId, int, pcie::TlpClass, fabric::Credits) override {}
  void strike(fabric::LinkId, int) override {}
  fabric::DirectionCounters counters(fabric::LinkId, int) const override { return {}; }
  std::vector<fabric::Waiting> waiting() const override { return {}; }
  void observe(fabric::TlpObserver*) override {}

  std::vector<std::pair<Instant, bool>> links;

 private:
  fabric::DeliverySink& sink_;
  std::vector<fabric::Delivery> pending_, started_;
  Instant horizon_{};
};

Loop::MakeFabric fixed_latency() {
  return [](fabric::DeliverySink& sink) { return std::make_unique<FixedLatency>(sink); };
}

/// Writes down what happens to it, and does on start what it is told.
class Recorder final : public device::Endpoint {
 public:
  Recorder(std::string name, std::vector<std::string>& log) : name_{std::move(name)}, log_{log} {}

  std::function<void(device::Outbox&)> at_start = [](auto&) {};

  void start(device::Outbox& out) override { at_start(out); }
  void on_computed(const fabric::Delivery& d) override { computed.push_back(d.cookie); }
  std::vector<std::uint64_t> computed;

  void on_delivery(const fabric::Delivery& d, device::Outbox&) override {
    const bool arrived = d.kind == fabric::DeliveryKind::arrived;
    note(d.done, (arrived ? "arrived " : "completed ") + std::to_string(d.cookie) + " channel " +
                     std::to_string(d.channel.value()));
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox&) override {
    note(now, "timer " + std::to_string(timer.value()));
  }
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox&) override {
    note(now, "frame " + std::to_string(frame.handle) + " port " + std::to_string(port));
  }

 private:
  void note(Instant now, const std::string& what) {
    log_.push_back(name_ + " " + std::to_string(femtoseconds(now)) + " " + what);
  }
  std::string name_;
  std::vector<std::string>& log_;
};

fabric::Transaction write(std::uint64_t cookie, std::uint64_t address, Instant ready) {
  return {.cookie = cookie,
          .target = fabric::NodeId{1},
          .notify_target = true,
          .address = address,
          .bytes = 64_B,
          .ready = ready};
}

TEST(Loop, OneInstantGoesDeviceByDeviceDeliveriesFramesTimers) {
  std::vector<std::string> log;
  Recorder a{"a", log}, b{"b", log};
  Loop loop{fixed_latency()};
  const auto da = loop.add(a, {.node = fabric::NodeId{0}, .channels = 2});
  const auto db = loop.add(b, {.node = fabric::NodeId{1}, .channels = 1});
  loop.connect({da, 0}, {db, 3}, {.rate = 8_Gbps, .latency = 24ns});
  b.at_start = [](auto& out) {
    out.wake_at(device::TimerId{9}, at_ns(100));
    out.wake_at(device::TimerId{2}, at_ns(100));
  };
  a.at_start = [](auto& out) {
    out.wake_at(device::TimerId{1}, at_ns(100));
    out.submit(fabric::ChannelIndex{2}, write(7, 0, at_ns(0)));
    out.submit(fabric::ChannelIndex{1}, write(8, 0, at_ns(0)));
    device::Frame frame{.handle = 5, .size = 64_B};  // 8 + 64 + 4 B at 1 ns a byte, and 24 ns
    out.transmit(0, frame, at_ns(0));
  };
  loop.run_until(at_ns(100));
  EXPECT_THAT(log,
              ElementsAre("a 100000000 timer 1", "b 100000000 arrived 8 channel 1", "b 100000000 arrived 7 channel 2",
                          "b 100000000 frame 5 port 3", "b 100000000 timer 2", "b 100000000 timer 9"));
}

TEST(Loop, ATimerHasOnePendingTimeAndNeverCancelsIt) {
  std::vector<std::string> log;
  Recorder a{"a", log};
  Loop loop{fixed_latency()};
  loop.add(a, {});
  a.at_start = [](auto& out) {
    out.wake_at(device::TimerId{1}, at_ns(10));
    out.wake_at(device::TimerId{1}, at_ns(30));
    out.wake_at(device::TimerId{2}, at_ns(20));
    out.wake_at(device::TimerId{2}, never);
    out.wake_at(device::TimerId{3}, at_ns(20));
    out.wake_at(device::TimerId{3}, at_ns(20));
  };
  loop.run_until(at_ns(50));
  EXPECT_THAT(log, ElementsAre("a 20000000 timer 3", "a 30000000 timer 1"));
}

TEST(Loop, DevicesOfOneNodeHaveOwnChannelsAndWindows) {
  std::vector<std::string> log;
  Recorder a{"a", log}, cpu{"cpu", log}, memory{"memory", log};
  Loop loop{fixed_latency()};
  loop.add(a, {.node = fabric::NodeId{0}, .channels = 1});
  const auto c = loop.add(cpu, {.node = fabric::NodeId{1}, .channels = 3, .windows = {{0xfee00000, 0x1000}}});
  const auto m = loop.add(memory, {.node = fabric::NodeId{1}, .channels = 1});
  EXPECT_EQ(loop.first_channel(c).value(), 1);
  EXPECT_EQ(loop.first_channel(m).value(), 4);
  a.at_start = [](auto& out) {
    out.submit(fabric::ChannelIndex{1}, write(1, 0xfee00ffc, at_ns(0)));
    out.submit(fabric::ChannelIndex{1}, write(2, 0xfee01000, at_ns(0)));
  };
  memory.at_start = [](auto& out) {
    auto t = write(3, 0, at_ns(1));
    t.notify_target = false;
    t.notify_requester = true;
    out.submit(fabric::ChannelIndex{1}, t);
  };
  loop.run_until(at_ns(200));
  EXPECT_THAT(log, ElementsAre("cpu 100000000 arrived 1 channel 1", "memory 100000000 arrived 2 channel 1",
                               "memory 101000000 completed 3 channel 1"));
}

TEST(Loop, WhoPostsHearsOfTheArrivalIfItAsksTo) {
  std::vector<std::string> log;
  Recorder a{"a", log}, b{"b", log};
  Loop loop{fixed_latency()};
  loop.add(a, {.node = fabric::NodeId{0}, .channels = 1});
  loop.add(b, {.node = fabric::NodeId{0}, .channels = 2, .hears_arrivals = true});
  a.at_start = [](auto& out) { out.submit(fabric::ChannelIndex{1}, write(1, 0, at_ns(0))); };
  b.at_start = [](auto& out) { out.submit(fabric::ChannelIndex{2}, write(2, 0, at_ns(0))); };
  loop.run_until(at_ns(200));
  EXPECT_THAT(a.computed, ElementsAre(1));
  EXPECT_THAT(b.computed, ElementsAre(2));
  EXPECT_THAT(log, ElementsAre("b 100000000 arrived 2 channel 2"));
}

TEST(Loop, FramesOnAWireKeepTheGap) {
  std::vector<std::string> log;
  Recorder a{"a", log}, b{"b", log};
  Loop loop{fixed_latency()};
  const auto da = loop.add(a, {});
  const auto db = loop.add(b, {.node = fabric::NodeId{1}, .channels = 1});
  loop.connect({da, 1}, {db, 0}, {.rate = 8_Gbps, .latency = 5ns});
  a.at_start = [](auto& out) {
    out.transmit(1, {.handle = 1, .size = 64_B}, at_ns(0));    // 0 .. 76, and the gap until 88
    out.transmit(1, {.handle = 2, .size = 100_B}, at_ns(10));  // 88 .. 200
    out.transmit(1, {.handle = 3, .size = 64_B}, at_ns(300));
    out.transmit(0, {.handle = 4, .size = 64_B}, at_ns(0));  // no cable there
  };
  loop.run_until(at_ns(1000));
  EXPECT_THAT(log,
              ElementsAre("b 81000000 frame 1 port 0", "b 205000000 frame 2 port 0", "b 381000000 frame 3 port 0"));
}

TEST(Loop, AnActionComesBeforeTheDevicesAndEndsABatch) {
  std::vector<std::string> log;
  Recorder a{"a", log};
  FixedLatency* fabric = nullptr;
  Loop loop{[&](fabric::DeliverySink& sink) {
    auto made = std::make_unique<FixedLatency>(sink);
    fabric = made.get();
    return made;
  }};
  loop.add(a, {});
  a.at_start = [](auto& out) { out.wake_at(device::TimerId{1}, at_ns(40)); };
  loop.at(at_ns(40), [&](auto& f) {
    log.push_back("action");
    f.set_link(fabric::LinkId{0}, false);
  });
  loop.run_until(at_ns(100));
  EXPECT_THAT(log, ElementsAre("action", "a 40000000 timer 1"));
  EXPECT_THAT(fabric->links, ElementsAre(std::pair{at_ns(40), false}));
}

/// Answers each write with one of its own after a random think time, and reads back now and then.
class Player final : public device::Endpoint {
 public:
  Player(fabric::NodeId peer, Instant end, std::string_view name) : peer_{peer}, end_{end}, random_{1, name} {}

  void start(device::Outbox& out) override {
    for (int i = 0; i < 4; ++i) play(Instant{}, out);
  }
  void on_delivery(const fabric::Delivery& d, device::Outbox& out) override {
    log.push_back({femtoseconds(d.done), static_cast<std::int64_t>(d.kind), static_cast<std::int64_t>(d.cookie)});
    if (random_.below(3) == 0)
      out.wake_at(device::TimerId{static_cast<std::uint16_t>(++timers_)},
                  d.done + std::chrono::nanoseconds{random_.below(200)});
    else
      play(d.done, out);
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override {
    log.push_back({femtoseconds(now), -1, timer.value()});
    play(now, out);
  }
  std::vector<std::array<std::int64_t, 3>> log;

 private:
  void play(Instant now, device::Outbox& out) {
    if (now > end_) return;
    const bool read = random_.below(3) == 0;
    out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(1 + random_.below(2))},
               {.cookie = ++submitted_,
                .target = peer_,
                .op = read ? pcie::Operation::memory_read : pcie::Operation::memory_write,
                .notify_target = !read,
                .notify_requester = read,
                .address = random_.below(1 << 20),
                .bytes = Bytes{static_cast<std::int64_t>(1 + random_.below(2000))},
                .ready = now + std::chrono::nanoseconds{random_.below(2) * random_.below(300)}});
  }
  fabric::NodeId peer_;
  Instant end_;
  Random random_;
  std::uint64_t submitted_ = 0;
  int timers_ = 0;
};

fabric::Topology two_players() {
  fabric::Topology t;
  const auto router = t.add_router("switch", {.latency = 100ns});
  const fabric::LinkDirection wire{
      .rate = 200_Gbps, .propagation = 10ns, .credits = {{{32, 512}, {32, 32}, {0, 0}}}, .update_fc = 60ns};
  for (const char* name : {"a", "b"}) {
    const auto node = t.add_endpoint(name, {.read_latency = 400ns, .read_jitter = 100ns, .channels = 2});
    t.connect(router, node, wire, wire);
  }
  return t;
}

class Quantum : public testing::TestWithParam<fabric::Mode> {};

TEST_P(Quantum, ChangesNothingThatADeviceSees) {
  std::vector<decltype(Player::log)> logs;
  for (const Duration quantum : {Duration{1ns}, Duration{100ns}, Duration{777ns}, Duration{1us}, Duration{10us}}) {
    Player a{fabric::NodeId{2}, at_ns(20'000), "a"}, b{fabric::NodeId{1}, at_ns(20'000), "b"};
    Loop loop{two_players(), GetParam(), quantum};
    loop.add(a, {.node = fabric::NodeId{1}, .channels = 2});
    loop.add(b, {.node = fabric::NodeId{2}, .channels = 2});
    loop.run_until(at_ns(30'000));
    a.log.insert(a.log.end(), b.log.begin(), b.log.end());
    logs.push_back(a.log);
  }
  EXPECT_GT(logs[0].size(), 100U);
  for (const auto& log : logs) EXPECT_EQ(log, logs[0]);
}

INSTANTIATE_TEST_SUITE_P(Modes, Quantum, testing::Values(fabric::Mode::event, fabric::Mode::train),
                         [](const auto& info) { return std::string{name_of(info.param)}; });

}  // namespace
}  // namespace peerpath::loop
