// Two ends of a connection over a channel that loses, delays, repeats and reorders, for tests.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "peerpath/base/random.hpp"
#include "transport/tcp/connection.hpp"

namespace peerpath::tcp::testing {

using namespace std::chrono_literals;

/// What happens on the way, in per mille of segments, and by number.
struct Faults {
  int loss = 0, duplicate = 0, reorder = 0, mark = 0;
  std::vector<int> lost_data{};  ///< n-th segment with data of the first end, from 0
  Instant flap_from = never, flap_to = never;
};

/// A rate, a delay each way, and a consumer at each end.
struct Channel {
  Channel(const Config& a, const Config& b, const Faults& what, std::uint64_t seed)
      : initial{static_cast<std::uint32_t>(mix(seed)), static_cast<std::uint32_t>(mix(seed + 1))},
        ends{Connection{a, initial[0]}, Connection{b, initial[1]}},
        faults{what},
        random{seed, "faults"} {
    ends[0].connect();
  }

  std::uint32_t initial[2];
  Connection ends[2];
  Faults faults;
  Random random;
  Duration delay = 5us;
  BitRate rate{10'000'000'000};
  Duration reading[2]{};  ///< how often the application looks; 0: at once
  std::int64_t read_most[2]{1 << 30, 1 << 30};
  bool keeps_memory[2]{};  ///< memory is not given back
  std::int64_t written[2]{}, taken[2]{};
  std::vector<bool> arrived[2];  ///< by position: what the channel has brought to that end
  std::function<void(int, const Segment&)> seen = [](int, const Segment&) {};
  Instant now{};
  bool wrong = false;

  void write(int end, std::int64_t bytes) {
    ends[end].write(bytes);
    written[end] += bytes;
  }
  /// Until both ends are over or nothing is due before `until`; false: it was not over.
  bool run(Instant until) {
    while (now <= until) {
      step();
      if (ends[0].over() && ends[1].over() && wire_.empty() && ends[0].readable() + ends[1].readable() == 0)
        return true;
      const auto next = upcoming();
      if (next == never || next > until) break;
      now = std::max(now, next);
    }
    return false;
  }

 private:
  struct Flying {
    int to = 0;
    bool marked = false;
    Segment segment{};
  };

  bool chance(int per_mille) { return static_cast<int>(random.below(1000)) < per_mille; }

  void put(int from, const Segment& s) {
    seen(from, s);
    free_[from] = std::max(free_[from], now) + Bytes{frame_size(s) + 24} / rate;
    const bool listed =
        from == 0 && s.length > 0 && std::ranges::find(faults.lost_data, data_number_++) != faults.lost_data.end();
    if (listed || chance(faults.loss) || (now >= faults.flap_from && now < faults.flap_to)) return;
    const int copies = chance(faults.duplicate) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const Duration late =
          chance(faults.reorder) || i > 0 ? Duration{static_cast<std::int64_t>(random.below(20'000'000'000))} : 0us;
      wire_.emplace(free_[from] + delay + late, Flying{1 - from, chance(faults.mark), s});
    }
  }

  void step() {
    while (!wire_.empty() && wire_.begin()->first <= now) {
      const auto flying = wire_.begin()->second;
      wire_.erase(wire_.begin());
      take(flying);
    }
    for (const int end : {0, 1}) {
      if (ends[end].deadline() <= now) ends[end].expire(now);
      if (reads_[end] <= now) consume(end);
      while (free_[end] <= now) {
        const auto segment = ends[end].next(now);
        if (!segment) break;
        put(end, *segment);
      }
    }
  }

  void take(const Flying& f) {
    auto& at = arrived[f.to];
    const auto& s = f.segment;
    ends[f.to].receive(s, f.marked, now);
    if (s.length > 0) {
      const auto off = static_cast<std::size_t>(s.sequence - initial[1 - f.to]);  // streams of tests are short
      if (at.size() < off + s.length) at.resize(off + s.length);
      for (std::size_t i = 0; i < s.length; ++i) at[off + i] = true;
    }
    const auto next = ends[f.to].receiver().next();
    const auto data = std::min<std::uint64_t>(next, static_cast<std::uint64_t>(written[1 - f.to]) + 1);
    for (; checked_[f.to] < data; ++checked_[f.to])
      if (checked_[f.to] > 0 && (checked_[f.to] >= at.size() || !at[checked_[f.to]])) wrong = true;
    if (reading[f.to] == Duration{}) consume(f.to);
  }

  void consume(int end) {
    reads_[end] = reading[end] == Duration{} ? never : now + reading[end];
    const auto bytes = std::min(ends[end].readable(), read_most[end]);
    if (bytes == 0) return;
    taken[end] += bytes;
    ends[end].read(bytes);
    if (!keeps_memory[end]) ends[end].give_back(bytes);
  }

  Instant upcoming() {
    auto next = wire_.empty() ? never : wire_.begin()->first;
    for (const int end : {0, 1}) {
      next = std::min(next, ends[end].deadline());
      if (reading[end] != Duration{} && ends[end].readable() > 0) next = std::min(next, std::max(reads_[end], now));
      if (ends[end].can_send()) next = std::min(next, std::max(free_[end], now));
    }
    return next;
  }

  std::multimap<Instant, Flying> wire_;
  Instant free_[2]{};
  Instant reads_[2]{};
  std::uint64_t checked_[2]{};
  int data_number_ = 0;
};

}  // namespace peerpath::tcp::testing
