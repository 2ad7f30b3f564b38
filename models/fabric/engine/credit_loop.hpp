// Credits of one class on one link direction, as counts and as times at which more of them come back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "fabric/engine/time.hpp"
#include "peerpath/base/ring.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::fabric::engine {

/// Credits that the transmitter can use, and the returns that are known to come. A receiver frees its buffer in several
/// streams: a router one for each way out, an endpoint one for its server. Within a stream the returns come in order of
/// time, between streams in any. Unlimited credits are a count that never runs out.
class CreditLoop {
 public:
  CreditLoop() = default;
  CreditLoop(Credits advertised, std::size_t streams)
      : limited_{advertised.header > 0 || advertised.data > 0},
        few_headers_{advertised.header > 0},
        headers_{advertised.header > 0 ? advertised.header : unlimited},
        data_{advertised.data > 0 ? advertised.data : unlimited},
        streams_(limited_ ? streams : 0) {}

  bool limited() const { return limited_; }
  bool covers(int units) const { return covers(1, units); }
  bool covers(std::int64_t count, int units) const { return headers_ >= count && data_ >= count * units; }

  /// How many of `count` TLPs of `units` the credits in hand cover.
  std::int64_t covered(std::int64_t count, int units) const {
    if (covers(count, units)) return count;
    return std::min({count, headers_, units == 0 ? count : data_ / units});
  }

  /// The same as `fold` to whoever then takes up to `count` TLPs of `units`: what is in hand may cover them as it is.
  /// Returns gather meanwhile, no more than there are headers.
  [[gnu::always_inline]] void fold_for(std::int64_t count, int units, Femto now) {
    if (!covers(count, units) || !few_headers_) fold(now);
  }

  /// Takes in all returns up to `now`; later questions must be about times from `now` on.
  void fold(Femto now) {
    for (std::uint64_t left = active_; left != 0; left &= left - 1) {
      const int stream = std::countr_zero(left);
      fold(streams_[static_cast<std::size_t>(stream)], now);
      if (streams_[static_cast<std::size_t>(stream)].empty()) active_ &= ~(std::uint64_t{1} << stream);
    }
  }

  /// When one TLP of `units` is covered, and whether no return that is not known yet can change that. 0 if it is
  /// covered now, `unknown_time` if that needs returns that are not known yet.
  struct Cover {
    Femto when = 0;
    bool final = true;
  };
  Cover covered_at(int units) const {
    if (covers(units)) return {};
    const Femto when = (active_ & (active_ - 1)) == 0 ? of_one_stream(units) : of_all_streams(units);
    return {when, when != unknown_time && in_order(when)};
  }

  /// After one more TLP of `units` at `now`, which takes the last credits: the returns that then let one each go. None
  /// if any but those of `stream`, by which the credits of these TLPs themselves come back, have a part in it: between
  /// streams nothing keeps the order.
  struct Pace {
    Femto spacing = 0;
    std::int64_t count = 0;
  };
  Pace pace(int stream, int units, Femto now, Femto serialisation) const {
    if (active_ != std::uint64_t{1} << stream || (waiting_ & ~active_) != 0) return {};
    const Returns& next = streams_[static_cast<std::size_t>(stream)].front();
    if (next.units != units) return {};
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
  void give(int stream, Femto first, Femto spacing, std::int64_t count, int units) {
    Ring<Returns>& pending = streams_[static_cast<std::size_t>(stream)];
    active_ |= std::uint64_t{1} << stream;
    if (!pending.empty()) {
      Returns& last = pending.back();
      const Femto step = first - last.last();
      if (last.units == units && (last.count == 1 || step == last.spacing) && (count == 1 || step == spacing)) {
        last.spacing = step;
        last.count += count;
        return;
      }
    }
    pending.push({first, spacing, count, units});
  }

  /// TLPs wait at the receiver whose credits will come back by this stream; or none do any more.
  void wait_for(int stream) { waiting_ |= std::uint64_t{1} << stream; }
  void wait_no_more(int stream) { waiting_ &= ~(std::uint64_t{1} << stream); }

 private:
  static constexpr std::int64_t unlimited = std::int64_t{1} << 60;

  struct Returns {
    Femto first = 0, spacing = 0;
    std::int64_t count = 0;
    int units = 0;
    Femto last() const { return first + (count - 1) * spacing; }
  };

  void fold(Ring<Returns>& pending, Femto now) {
    while (!pending.empty() && pending.front().first <= now) {
      Returns& run = pending.front();
      std::int64_t count = run.count;
      if (run.last() > now) count = (now - run.first) / run.spacing + 1;
      headers_ += count;
      data_ += count * run.units;
      if (count == run.count) {
        pending.pop();
      } else {
        run.first += count * run.spacing;
        run.count -= count;
        return;
      }
    }
  }

  Femto of_one_stream(int units) const {
    if (active_ == 0) return unknown_time;
    const Ring<Returns>& pending = streams_[static_cast<std::size_t>(std::countr_zero(active_))];
    std::int64_t headers = headers_, data = data_;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const Returns& run = pending[i];
      std::int64_t need = std::max<std::int64_t>(1 - headers, 1);
      if (data + need * run.units < units)
        need = run.units == 0 ? INT64_MAX : (units - data + run.units - 1) / run.units;
      if (need <= run.count) return run.first + (need - 1) * run.spacing;
      headers += run.count;
      data += run.count * run.units;
    }
    return unknown_time;
  }

  /// The returns of all streams, merged one by one until they cover the TLP.
  [[gnu::noinline]] Femto of_all_streams(int units) const {
    struct Cursor {
      const Ring<Returns>* pending;
      std::size_t run;
      std::int64_t taken;
      Femto next() const { return (*pending)[run].first + taken * (*pending)[run].spacing; }
    };
    std::vector<Cursor> cursors;
    for (std::uint64_t left = active_; left != 0; left &= left - 1)
      cursors.push_back({&streams_[static_cast<std::size_t>(std::countr_zero(left))], 0, 0});
    for (std::int64_t headers = headers_, data = data_; !cursors.empty();) {
      const auto first = std::ranges::min_element(cursors, {}, &Cursor::next);
      const Femto when = first->next();
      const Returns& run = (*first->pending)[first->run];
      headers += 1;
      data += run.units;
      if (headers > 0 && data >= units) return when;
      if (++first->taken < run.count) continue;
      first->taken = 0;
      if (++first->run == first->pending->size()) cursors.erase(first);
    }
    return unknown_time;
  }

  /// Whether every TLP that waits at the receiver gives its credits back at `when` or later.
  bool in_order(Femto when) const {
    for (std::uint64_t left = waiting_; left != 0; left &= left - 1) {
      const Ring<Returns>& pending = streams_[static_cast<std::size_t>(std::countr_zero(left))];
      if (pending.empty() || pending[pending.size() - 1].last() < when) return false;
    }
    return true;
  }

  bool limited_ = false;
  bool few_headers_ = false;  ///< headers are not unlimited
  std::int64_t headers_ = unlimited, data_ = unlimited;
  std::uint64_t active_ = 0;   ///< streams with returns to come
  std::uint64_t waiting_ = 0;  ///< streams by which TLPs at the receiver will give theirs back
  std::vector<Ring<Returns>> streams_;
};

}  // namespace peerpath::fabric::engine
