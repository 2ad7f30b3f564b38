// A carrier for tests: each message takes the same time, whatever else is under way.
#pragma once

#include <functional>
#include <map>

#include "collective/carrier.hpp"

namespace peerpath::collective::testing {

class InstantCarrier {
 public:
  explicit InstantCarrier(Duration latency) : latency_{latency} {}

  /// Called at the end that a message has come to, and at the other that has heard of it as long afterwards.
  std::function<void(ChannelIndex channel, std::uint32_t number, Instant now)> arrived{}, acknowledged{};
  std::function<void(std::uint32_t number, Instant now)> timed{};

  Carrier carrier() {
    return {.reserve =
                [this](std::size_t channels) {
                  const auto first = channels_;
                  channels_ += static_cast<ChannelIndex>(2 * channels);
                  return first;
                },
            .open = [](ChannelIndex, HostIndex, HostIndex, bool) {},
            .post =
                [this](ChannelIndex channel, Bytes bytes, std::uint32_t number, Instant now) {
                  posted += bytes;
                  due_.emplace(now + latency_, [=, this](Instant then) { arrived(channel ^ 1, number, then); });
                  due_.emplace(now + 2 * latency_, [=, this](Instant then) { acknowledged(channel, number, then); });
                },
            .rest = {},
            .owns = [](HostIndex) { return true; }};
  }
  void wake(Instant when, std::uint32_t number) {
    due_.emplace(when, [=, this](Instant then) { timed(number, then); });
  }
  /// Until nothing is due.
  void run() {
    while (!due_.empty()) {
      const auto next = due_.begin();
      const auto [when, what] = *next;
      due_.erase(next);
      what(when);
    }
  }
  Bytes posted{};

 private:
  Duration latency_;
  ChannelIndex channels_ = 0;
  std::multimap<Instant, std::function<void(Instant)>> due_;
};

}  // namespace peerpath::collective::testing
