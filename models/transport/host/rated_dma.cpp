#include "transport/host/rated_dma.hpp"

#include <algorithm>

namespace peerpath::transport {

void RatedDma::write(Bytes size, Instant now) {
  held_.push({size, memory_.drain(size, now)});
  held_bytes_ += size.count();
  last_written_ = std::max(last_written_, memory_.placed(now));
  written.push(last_written_);
}

void RatedDma::read(Bytes size, Instant now) {
  for (; !held_.empty() && held_.front().out <= now; held_.pop()) held_bytes_ -= held_.front().size.count();
  last_fetched_ = std::max(last_fetched_, memory_.fetch(size, held_bytes_, now));
  fetched.push(last_fetched_);
}

}  // namespace peerpath::transport
