#include "transport/tcp/receiver.hpp"

#include <algorithm>

namespace peerpath::tcp {
namespace {

constexpr int quick_segments = 16;  ///< kernel: TCP_MAX_QUICKACKS

}  // namespace

Receiver::Receiver(const Config& config)
    : buffer_{config.receive_buffer.count()},
      window_of_{config.window_of},
      acknowledge_{config.acknowledge},
      delay_{config.ack_delay},
      marks_{config.marks()},
      precise_marks_{config.congestion == Congestion::dctcp},
      mss_{config.mss()},
      quick_{config.acknowledge == Acknowledge::quick_start ? quick_segments : 0} {
  edge_ = static_cast<std::uint64_t>(buffer_) + 1;
}

/// The echo of marks: until the sender has reduced its window (RFC 3168), or the exact state, told before it changes
/// (RFC 8257).
void Receiver::mark(bool marked) {
  if (!precise_marks_) {
    echo_ = echo_ || marked;
    return;
  }
  if (marked == echo_) return;
  if (next_ > acknowledged_) early_ = Early{next_, echo_};
  echo_ = marked;
  now_ = true;
}

void Receiver::receive(const Data& data, Instant now) {
  if (marks_ && data.reduced && !precise_marks_) echo_ = false;
  if (marks_ && data.at.end > data.at.begin) mark(data.marked);
  if (data.fin) fin_at_ = data.at.end - 1;
  if (data.at.end <= next_ || data.at.begin >= edge_) {
    if (data.at.end <= next_) repeated_ += data.at.size();
    now_ = true;  // old or outside the window: tell where we are (RFC 9293, 3.10.7.4)
    return;
  }
  auto at = data.at;
  if (at.begin < next_) {
    repeated_ += static_cast<std::int64_t>(next_ - at.begin);
    at.begin = next_;
    now_ = true;
  }
  at.end = std::min(at.end, edge_);
  const bool gap = !ranges_.empty() || at.begin > next_;
  if (at.begin > next_) ++out_of_order_;
  if (!keep(at)) now_ = true;
  take_in_order();
  if (gap || finished_) now_ = true;
  if (now_) return;
  const auto pending = static_cast<std::int64_t>(next_ - acknowledged_);
  if (acknowledge_ == Acknowledge::each || pending > mss_) now_ = true;
  if (quick_ > 0) {
    --quick_;
    now_ = true;
  }
  if (!now_ && delayed_ == never) delayed_ = now + delay_;
}

/// Puts a stretch among those that wait. False: nothing of it is new.
bool Receiver::keep(Stretch at) {
  auto first = std::ranges::find_if(ranges_, [&](const Range& r) { return r.at.end >= at.begin; });
  std::int64_t there = 0;
  auto last = first;
  auto whole = at;
  for (; last != ranges_.end() && last->at.begin <= at.end; ++last) {
    const auto begin = std::max(last->at.begin, at.begin), end = std::min(last->at.end, at.end);
    if (end > begin) there += static_cast<std::int64_t>(end - begin);
    whole.begin = std::min(whole.begin, last->at.begin);
    whole.end = std::max(whole.end, last->at.end);
  }
  repeated_ += there;
  const Range merged{whole, ++age_};
  if (first == last) {
    ranges_.insert(first, merged);
  } else {
    *first = merged;
    ranges_.erase(first + 1, last);
  }
  return there < at.size();
}

void Receiver::take_in_order() {
  if (ranges_.empty() || ranges_.front().at.begin > next_) return;
  const auto end = ranges_.front().at.end;
  ranges_.erase(ranges_.begin());
  auto bytes = static_cast<std::int64_t>(end - next_);
  next_ = end;
  if (end > fin_at_) {
    finished_ = true;
    --bytes;
  }
  unread_ += bytes;
}

void Receiver::read(std::int64_t bytes) {
  unread_ -= bytes;
  held_ += bytes;
  if (window_of_ == WindowOf::socket) offer();
}

void Receiver::give_back(std::int64_t bytes) {
  held_ -= bytes;
  if (window_of_ == WindowOf::memory) offer();
}

/// Room has come. It is told of when it at least doubles what the other end knows of (kernel: tcp_cleanup_rbuf), or a
/// closed window opens by a segment.
void Receiver::offer() {
  if (finished_) return;
  const auto larger = free();
  if (larger >= 2 * window() && larger >= std::min<std::int64_t>(mss_, buffer_ / 2)) now_ = true;
}

Receiver::Say Receiver::say(int scale, bool blocks) {
  Say out;
  if (early_) {
    out.next = early_->next;
    out.echo = early_->echo;
    out.window = static_cast<std::int64_t>(edge_ - out.next);
    early_.reset();
    acknowledged_ = out.next;
    out.window = out.window >> scale << scale;
    return out;
  }
  // Never taken back, and not offered in small pieces (RFC 9293, 3.8.6.2.2).
  const auto room = free();
  if (room >= std::min<std::int64_t>(mss_, buffer_ / 2))
    edge_ = std::max(edge_, next_ + static_cast<std::uint64_t>(room));
  out.next = next_;
  out.echo = echo_;
  out.window = window() >> scale << scale;
  if (blocks && !ranges_.empty()) {
    std::uint64_t below = ~std::uint64_t{0};
    for (out.count = 0; out.count < std::min(most_blocks, ranges_.size()); ++out.count) {
      const Range* newest = nullptr;
      for (const auto& r : ranges_)
        if (r.age < below && (newest == nullptr || r.age > newest->age)) newest = &r;
      out.blocks[out.count] = newest->at;
      below = newest->age;
    }
  }
  acknowledged_ = next_;
  now_ = false;
  delayed_ = never;
  return out;
}

}  // namespace peerpath::tcp
