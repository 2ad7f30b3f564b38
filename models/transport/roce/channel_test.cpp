// Two ends of a reliable connection over a channel that loses, delays, repeats and reorders.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "peerpath/base/random.hpp"
#include "transport/roce/requester.hpp"
#include "transport/roce/responder.hpp"

namespace peerpath::roce {
namespace {

using namespace std::chrono_literals;

/// What a random case is drawn from.
struct Case {
  ConnectionAttributes attributes{};
  int loss = 0, duplicate = 0, reorder = 0;  ///< per mille of packets
  Instant flap_from = never, flap_to = never;
  Instant error_at = never;
  bool responder_fails = false;
  int receives = Responder::unlimited;
  std::vector<WorkRequest> work;
};

Case draw(std::uint64_t seed) {
  Random random{seed, "channel"};
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.below(n)); };
  Case c;
  auto& a = c.attributes;
  a.mtu = 256u << below(5);
  a.first_psn =
      below(3) == 0 ? psn_mask - static_cast<std::uint32_t>(below(40)) : static_cast<std::uint32_t>(below(1000));
  a.window = 1u + static_cast<std::uint32_t>(below(64));
  a.ack_every = 1u + static_cast<std::uint32_t>(below(16));
  a.reads = 1 + below(4);
  a.retries = below(4) == 0 ? 1 : 7;
  a.timeout = 100us;
  a.rnr_timer = 1 + below(6);
  a.recovery = below(2) == 0 ? Recovery::go_back_n : Recovery::selective_repeat;
  if (below(4) != 0) c.loss = below(150);
  if (below(3) == 0) c.duplicate = below(100);
  if (below(3) == 0) c.reorder = below(100);
  if (below(4) == 0) {
    c.flap_from = Instant{below(200) * 1us};
    c.flap_to = c.flap_from + below(400) * 1us;
  }
  if (below(8) == 0) {
    c.error_at = Instant{below(300) * 1us};
    c.responder_fails = below(2) == 0;
  }
  if (below(4) == 0) c.receives = below(4);
  const int count = 1 + below(30);
  for (int i = 0; i < count; ++i) {
    WorkRequest w;
    w.id = static_cast<std::uint64_t>(i);
    w.work = static_cast<Work>(below(6));
    w.length = is_atomic(w.work) ? 8 : static_cast<std::uint32_t>(below(5) == 0 ? 0 : below(20 * 256));
    w.remote_address = static_cast<std::uint64_t>(i) << 32;  // so that the message can be told at the other end
    w.swap_or_add = 1;
    w.immediate = static_cast<std::uint32_t>(i);
    c.work.push_back(w);
  }
  return c;
}

/// The responder's memory: notes what arrived how often.
class Memory final : public Target {
 public:
  bool allows(Operation, std::uint32_t, std::uint64_t, std::uint32_t) override { return true; }
  void place(const Packet& packet, std::uint64_t address) override { placed.emplace_back(address, packet.length); }
  void arrived(const Packet& last, Instant) override { messages.push_back(last); }
  std::uint64_t modify(const Packet& packet) override {
    ++modified[packet.address >> 32];
    return counter++;
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> placed;
  std::vector<Packet> messages;
  std::map<std::uint64_t, int> modified;
  std::uint64_t counter = 0;
};

struct Outcome {
  std::map<std::uint64_t, WorkStatus> ended;
  std::map<std::uint64_t, std::uint64_t> read;  ///< bytes by request, in order
  std::int64_t repeated = 0, out_of_order = 0;
  bool hangs = false;
  bool completed_in_order = true;
  bool answered_in_order = true;
};

Outcome play(const Case& c, std::uint64_t seed, Memory& memory) {
  Random random{seed, "faults"};
  Requester requester{c.attributes};
  Responder responder{c.attributes, memory};
  if (c.receives != Responder::unlimited) responder.limit_receives(c.receives);
  for (const auto& w : c.work) requester.post(w);
  Outcome outcome;
  std::multimap<Instant, std::pair<bool, Packet>> wire;  // true: towards the responder
  Instant now{}, receive_at{10us};
  const Duration packet_time = 300ns, latency = 2us;
  Instant free[2]{};
  bool stopped = false, responder_dead = false;
  const auto chance = [&](int per_mille) { return static_cast<int>(random.below(1000)) < per_mille; };
  const auto put = [&](bool forward, const Packet& packet) {
    free[forward] = now + packet_time;
    if (chance(c.loss) || (now >= c.flap_from && now < c.flap_to)) return;
    const int copies = chance(c.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const auto late =
          chance(c.reorder) || i > 0 ? Duration{static_cast<std::int64_t>(random.below(20'000'000'000))} : Duration{};
      wire.emplace(now + latency + late, std::pair{forward, packet});
    }
  };
  std::uint64_t last_id = 0;
  for (int step = 0; step < 200'000; ++step) {
    if (!stopped && now >= c.error_at) {
      stopped = true;
      if (c.responder_fails)
        responder_dead = true;
      else
        requester.stop();
    }
    if (free[1] <= now && requester.can_send(now)) put(true, requester.next(now).packet);
    if (free[0] <= now && responder.can_send()) put(false, responder.next().packet);
    while (!requester.completions().empty()) {
      const auto done = requester.completions().front();
      requester.completions().pop();
      if (!outcome.ended.emplace(done.id, done.status).second) outcome.completed_in_order = false;
      if (done.id < last_id) outcome.completed_in_order = false;
      last_id = done.id;
    }
    outcome.repeated = requester.retransmissions();
    outcome.out_of_order = responder.out_of_order();
    if (requester.idle() && !responder.can_send() && wire.empty()) return outcome;
    Instant next = never;
    if (!wire.empty()) next = std::min(next, wire.begin()->first);
    next = std::min(next, requester.deadline());
    for (const int side : {0, 1})
      if (free[side] > now) next = std::min(next, free[side]);
    if (c.receives != Responder::unlimited) next = std::min(next, receive_at);
    if (!requester.can_send(now) && !requester.idle()) next = std::min(next, now + 10us);
    if (c.error_at > now) next = std::min(next, c.error_at);
    if (next == never) break;
    now = std::max(now, next);
    if (now >= receive_at) {
      responder.post_receive();
      receive_at = now + 15us;
    }
    while (!wire.empty() && wire.begin()->first <= now) {
      const auto [forward, packet] = wire.begin()->second;
      wire.erase(wire.begin());
      if (forward) {
        if (!responder_dead) responder.receive(packet, now);
      } else if (const auto in = requester.receive(packet, now)) {
        auto& bytes = outcome.read[in->request];
        outcome.answered_in_order &= bytes == in->first_byte;
        bytes += in->length;
      }
    }
    requester.expire(now);
  }
  outcome.hangs = true;
  return outcome;
}

/// What all cases together came to, so that a test sees whether they try anything.
struct Totals {
  std::int64_t succeeded = 0, failed = 0, repeated = 0, out_of_order = 0;
};

/// Each message arrives once, or is reported as failed and arrives once at most; in order, and nothing hangs.
std::string judge(std::uint64_t seed, Totals& totals) {
  const auto c = draw(seed);
  Memory memory;
  const auto outcome = play(c, seed, memory);
  totals.repeated += outcome.repeated;
  totals.out_of_order += outcome.out_of_order;
  if (outcome.hangs) return "hangs";
  if (!outcome.completed_in_order) return "completions out of order or twice";
  if (!outcome.answered_in_order) return "read data out of order or twice";
  std::map<std::uint64_t, std::uint64_t> bytes;
  std::set<std::pair<std::uint64_t, std::uint32_t>> places;
  for (const auto& [address, length] : memory.placed) {
    if (length > 0 && address >> 32 != 0 && !places.emplace(address, length).second) return "data placed twice";
    bytes[address >> 32] += length;
  }
  std::size_t messages = 0;
  for (const auto& w : c.work) {
    const auto found = outcome.ended.find(w.id);
    if (found == outcome.ended.end()) return "a request without end";
    const bool success = found->second == WorkStatus::success;
    ++(success ? totals.succeeded : totals.failed);
    if (is_atomic(w.work)) {
      const auto times = memory.modified.find(w.id);
      const int count = times == memory.modified.end() ? 0 : times->second;
      if (count > 1 || (success && count != 1)) return "an atomic done " + std::to_string(count) + " times";
    } else if (w.work == Work::read) {
      const auto read = outcome.read.find(w.id);
      const auto length = read == outcome.read.end() ? 0 : read->second;
      if (success && length != w.length) return "a read of another length";
    } else {
      if (success) ++messages;
      if (success && w.work != Work::send && w.id > 0 && bytes[w.id] != w.length) return "a write of another length";
    }
  }
  if (memory.messages.size() < messages) return "a message that succeeded did not arrive";
  return {};
}

TEST(ReliableConnection, EachMessageArrivesOnceOrIsReportedFailedAndNothingHangs) {
  const char* count = std::getenv("PEERPATH_ROCE_CASES");
  const auto cases = count == nullptr ? 400ul : std::strtoul(count, nullptr, 10);
  int failed = 0;
  Totals totals;
  for (std::uint64_t seed = 1; seed <= cases && failed < 5; ++seed) {
    const auto wrong = judge(seed, totals);
    if (wrong.empty()) continue;
    ++failed;
    ADD_FAILURE() << "case " << seed << ": " << wrong;
  }
  const auto n = static_cast<std::int64_t>(cases);
  EXPECT_GT(totals.succeeded, 8 * n);
  EXPECT_GT(totals.failed, n / 4);
  EXPECT_GT(totals.repeated, 10 * n);
  EXPECT_GT(totals.out_of_order, 2 * n);
}

TEST(ReliableConnection, AQuietChannelNeedsNoPacketTwice) {
  for (const auto recovery : {Recovery::go_back_n, Recovery::selective_repeat}) {
    Case c;
    c.attributes.recovery = recovery;
    c.attributes.mtu = 1024;
    for (std::uint64_t i = 0; i < 20; ++i)
      c.work.push_back(
          {.id = i, .work = i % 3 == 0 ? Work::read : Work::write, .length = 5000, .remote_address = i << 32});
    Memory memory;
    const auto outcome = play(c, 1, memory);
    EXPECT_FALSE(outcome.hangs);
    EXPECT_EQ(memory.placed.size(), 13u * 5);
    for (const auto& [id, status] : outcome.ended) EXPECT_EQ(status, WorkStatus::success) << id;
  }
}

TEST(ReliableConnection, OneLossCostsGoBackNTheWindowAndSelectiveRepeatOnePacket) {
  for (const auto recovery : {Recovery::go_back_n, Recovery::selective_repeat}) {
    ConnectionAttributes attributes;
    attributes.recovery = recovery;
    attributes.mtu = 1024;
    Memory memory;
    Requester requester{attributes};
    Responder responder{attributes, memory};
    requester.post({.length = 64 * 1024});
    std::vector<Packet> flight;
    while (requester.can_send(Instant{})) flight.push_back(requester.next(Instant{}).packet);
    ASSERT_EQ(flight.size(), 64u);
    for (std::size_t i = 0; i < flight.size(); ++i)
      if (i != 10) responder.receive(flight[i], Instant{1us});
    while (responder.can_send()) requester.receive(responder.next().packet, Instant{2us});
    int again = 0;
    for (; requester.can_send(Instant{3us}); ++again)
      responder.receive(requester.next(Instant{3us}).packet, Instant{4us});
    while (responder.can_send()) requester.receive(responder.next().packet, Instant{5us});
    EXPECT_EQ(again, recovery == Recovery::go_back_n ? 54 : 1);
    EXPECT_TRUE(requester.idle());
    EXPECT_EQ(memory.messages.size(), 1u);
  }
}

TEST(ReliableConnection, AResponderWithoutReceiveRequestsAsksToWait) {
  ConnectionAttributes attributes;
  attributes.rnr_timer = 5;  // 60 us
  attributes.rnr_retries = 1;
  Memory memory;
  Requester requester{attributes};
  Responder responder{attributes, memory};
  responder.limit_receives(0);
  requester.post({.id = 9, .work = Work::send, .length = 100});
  responder.receive(requester.next(Instant{}).packet, Instant{});
  const auto nak = responder.next().packet;
  EXPECT_EQ(nak.syndrome, syndrome::rnr | 5);
  requester.receive(nak, Instant{1us});
  EXPECT_FALSE(requester.can_send(Instant{60us}));
  ASSERT_TRUE(requester.can_send(Instant{61us}));
  responder.receive(requester.next(Instant{61us}).packet, Instant{61us});
  requester.receive(responder.next().packet, Instant{62us});
  ASSERT_EQ(requester.completions().size(), 1u);
  EXPECT_EQ(requester.completions().front().status, WorkStatus::rnr_retry_exceeded);
}

}  // namespace
}  // namespace peerpath::roce
