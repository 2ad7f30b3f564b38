#include "core/host/booked_time.hpp"

#include <algorithm>

namespace peerpath::host {

void BookedTime::book(Instant begin, Instant end, std::int64_t units) {
  if (begin == end || units == 0) return;
  all_ += units * (end - begin);
  if (!ahead_.empty()) {
    auto& last = ahead_.back();
    if (last.begin == begin && last.end == end) {
      last.units += units;
      return;
    }
    if (last.end == begin && last.units == units) {
      last.end = end;
      return;
    }
  }
  ahead_.push_back({begin, end, units});
}

Duration BookedTime::until(Instant now) const {
  auto sum = all_;
  for (const auto& [begin, end, units] : ahead_)
    if (end > now) sum -= units * (end - std::max(begin, now));
  return sum;
}

}  // namespace peerpath::host
