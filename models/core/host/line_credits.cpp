#include "core/host/line_credits.hpp"

#include <algorithm>

namespace peerpath::host {

Instant LineCredits::take(std::int64_t count, Instant at, Duration hold) {
  const auto came = at;
  for (; count > 0; --count) {
    at = last_ = std::max({at, last_, free_[next_]});
    free_[next_] = at + hold;
    held_.book(at, free_[next_]);
    next_ = next_ + 1 == free_.size() ? 0 : next_ + 1;
  }
  waited_ += at - came;
  return at;
}

}  // namespace peerpath::host
