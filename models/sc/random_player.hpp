// A test device whose behaviour depends on everything that it sees: if one time or order is off, its log is too.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::sc {

/// Answers each notice, frame and timer with a write, a read, a frame or a timer of its own, until `end`.
class RandomPlayer final : public device::Endpoint {
 public:
  struct Entry {
    std::int64_t time = 0, kind = 0, what = 0;
    bool operator==(const Entry&) const = default;
  };

  RandomPlayer(std::vector<fabric::NodeId> peers, Instant end, Duration reaction, std::string_view name)
      : peers_{std::move(peers)}, end_{end}, reaction_{reaction}, random_{7, name} {}

  std::vector<Entry> log;

  void start(device::Outbox& out) override {
    for (int i = 0; i < 4; ++i) play(Instant{}, out);
    out.wake_at(device::TimerId{100}, Instant{std::chrono::nanoseconds{333}});
  }
  void on_delivery(const fabric::Delivery& d, device::Outbox& out) override {
    log.push_back({femtoseconds(d.done), static_cast<std::int64_t>(d.kind), static_cast<std::int64_t>(d.cookie)});
    if (random_.below(3) == 0)
      out.wake_at(device::TimerId{static_cast<std::uint16_t>(random_.below(20))},
                  d.done + reaction_ + std::chrono::nanoseconds{random_.below(200)});
    else
      play(d.done + reaction_, out);
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override {
    log.push_back({femtoseconds(now), -1, timer.value()});
    if (timer.value() == 100) out.wake_at(timer, now + std::chrono::nanoseconds{500 + random_.below(500)});
    play(now, out);
  }
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override {
    log.push_back({femtoseconds(now), -2 - port, static_cast<std::int64_t>(frame.handle)});
    play(now, out);
  }

 private:
  void play(Instant when, device::Outbox& out) {
    if (when > end_) return;
    if (random_.below(5) == 0)
      out.transmit(0, {.handle = ++frames_, .size = Bytes{static_cast<std::int64_t>(60 + random_.below(1400))}}, when);
    const bool read = random_.below(3) == 0;
    out.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(1 + random_.below(2))},
               {.cookie = ++submitted_,
                .target = peers_[random_.below(peers_.size())],
                .op = read ? pcie::Operation::memory_read : pcie::Operation::memory_write,
                .notify_target = !read,
                .notify_requester = read,
                .address = random_.below(1 << 20),
                .bytes = Bytes{static_cast<std::int64_t>(1 + random_.below(2000))},
                .ready = when + std::chrono::nanoseconds{random_.below(2) * random_.below(300)}});
  }

  std::vector<fabric::NodeId> peers_;
  Instant end_;
  Duration reaction_;
  Random random_;
  std::uint64_t submitted_ = 0, frames_ = 0;
};

}  // namespace peerpath::sc
