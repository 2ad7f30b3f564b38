// Credits of one class on one link direction, as counts and as times at which more of them come back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fabric/dllp_queue.hpp"
#include "fabric/ring.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::fabric {

/// Credits that the transmitter can use, and the returns that are known to come: runs of equal returns at equal
/// spacing, in order of time. Unlimited credits are a count that never runs out.
class CreditLoop {
 public:
  CreditLoop() = default;
  explicit CreditLoop(Credits advertised)
      : limited_{advertised.header > 0 || advertised.data > 0},
        headers_{advertised.header > 0 ? advertised.header : unlimited},
        data_{advertised.data > 0 ? advertised.data : unlimited} {}

  bool limited() const { return limited_; }
  bool covers(int units) const { return headers_ > 0 && data_ >= units; }

  /// How many TLPs of `units` the credits in hand cover.
  std::int64_t covered(int units) const { return units == 0 ? headers_ : std::min(headers_, data_ / units); }

  bool covers_all(std::int64_t count, int units) const { return headers_ >= count && data_ >= count * units; }

  /// Takes in all returns up to `now`; later questions must be about times from `now` on.
  void fold(Femto now) {
    while (!pending_.empty() && pending_.front().first <= now) {
      Returns& run = pending_.front();
      std::int64_t count = run.count;
      if (run.first + (count - 1) * run.spacing > now) count = (now - run.first) / run.spacing + 1;
      headers_ += count;
      data_ += count * run.units;
      if (count == run.count) {
        pending_.pop();
      } else {
        run.first += count * run.spacing;
        run.count -= count;
        return;
      }
    }
  }

  /// When one TLP of `units` is covered: 0 if now, `unknown_time` if that needs returns that are not known yet.
  Femto covered_at(int units) const {
    if (covers(units)) return 0;
    std::int64_t headers = headers_, data = data_;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const Returns& run = pending_[i];
      std::int64_t need = std::max<std::int64_t>(1 - headers, 1);
      if (data + need * run.units < units)
        need = run.units == 0 ? INT64_MAX : (units - data + run.units - 1) / run.units;
      if (need <= run.count) return run.first + (need - 1) * run.spacing;
      headers += run.count;
      data += run.count * run.units;
    }
    return unknown_time;
  }

  /// After one more TLP of `units` at `now`, which takes the last credits: the returns that then let one each go.
  struct Pace {
    Femto spacing = 0;
    std::int64_t count = 0;
  };
  Pace pace(int units, Femto now, Femto serialisation) const {
    if (pending_.empty() || pending_.front().units != units) return {};
    const Returns& next = pending_.front();
    const Femto spacing = std::max(serialisation, next.first - now);
    if (spacing > serialisation ? next.spacing == spacing : next.spacing <= spacing) return {spacing, next.count};
    return {spacing, 1};
  }

  void take(std::int64_t count, int units) {
    headers_ -= count;
    data_ -= count * units;
  }

  /// Credits that never come back.
  void leak(Credits lost) {
    if (headers_ < unlimited / 2) headers_ -= lost.header;
    if (data_ < unlimited / 2) data_ -= lost.data;
  }

  /// `count` TLPs of `units` give their credits back, at `first` and then every `spacing`.
  void give(Femto first, Femto spacing, std::int64_t count, int units) {
    if (!pending_.empty()) {
      Returns& last = pending_.back();
      const Femto step = first - (last.first + (last.count - 1) * last.spacing);
      if (last.units == units && (last.count == 1 || step == last.spacing) && (count == 1 || step == spacing)) {
        last.spacing = step;
        last.count += count;
        return;
      }
    }
    pending_.push({first, spacing, count, units});
  }

  /// Takes credits and gives them back, after all that is known.
  void lend(Femto first, Femto spacing, std::int64_t count, int units) {
    if (!limited_) return;
    take(count, units);
    pending_.push({first, spacing, count, units});
  }

  /// All of it as numbers, with times from `now` on.
  template <class Add>
  void describe(Femto now, Add&& add) const {
    add(headers_);
    add(data_);
    add(static_cast<std::int64_t>(pending_.size()));
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const Returns& run = pending_[i];
      add(run.first - now);
      add(run.count == 1 ? 0 : run.spacing);
      add(run.count << 32 | run.units);
    }
  }
  /// What is to come back comes so much later.
  void shift(Femto span) {
    for (std::size_t i = 0; i < pending_.size(); ++i) pending_[i].first += span;
  }

  /// Writes all of it as numbers, or reads these.
  template <class Archive>
  void archive(Archive& a) {
    if (!limited_) return;
    a.number(headers_);
    a.number(data_);
    a.ring(pending_, [&](Returns& run) {
      if (run.count == 1) run.spacing = 0;
      a.time(run.first);
      a.number(run.spacing);
      a.number(run.count);
      a.number(run.units);
    });
  }

 private:
  static constexpr std::int64_t unlimited = std::int64_t{1} << 60;

  struct Returns {
    Femto first = 0, spacing = 0;
    std::int64_t count = 0;
    int units = 0;
  };

  bool limited_ = false;
  std::int64_t headers_ = unlimited, data_ = unlimited;
  Ring<Returns> pending_;
};

}  // namespace peerpath::fabric
