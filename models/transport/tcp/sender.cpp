#include "transport/tcp/sender.hpp"

#include <algorithm>

namespace peerpath::tcp {

Sender::Sender(const Config& config)
    : config_{config}, mss_{config.mss()}, congestion_{config, config.mss()}, round_trip_{config} {}

void Sender::limit_segment(std::uint32_t mss) {
  mss_ = std::min<std::int64_t>(mss_, mss);
  congestion_.limit_segment(mss);
}

/// The next stretch that was never sent, if windows and Nagle's rule let it go.
std::optional<Stretch> Sender::fresh() const {
  if (next_ >= limit()) return std::nullopt;
  if (next_ == 0) return Stretch{0, 1};
  if (una_ == 0) return std::nullopt;  // the handshake is not over
  const auto left = static_cast<std::int64_t>(end_ - std::min(next_, end_));
  const auto window = static_cast<std::int64_t>(una_) + peer_window_ - static_cast<std::int64_t>(next_);
  const auto size = std::min({left, mss_, window});
  if (size <= 0 && left > 0) return std::nullopt;
  if (left == 0) return window > 0 ? std::optional{Stretch{next_, next_ + 1}} : std::nullopt;  // the FIN alone
  const bool last = size == left;
  // Silly windows (RFC 9293, 3.8.6.2.1): a short segment goes if it is the last, or half of the largest window.
  if (size < mss_ && !last && size < largest_window_ / 2 && !forced_) return std::nullopt;
  if (size < mss_ && last && config_.nagle && !closes_ && board_.outstanding() > 0) return std::nullopt;
  if (!room_for(size)) return std::nullopt;
  const bool with_fin = last && closes_ && window > size;
  return Stretch{next_, next_ + static_cast<std::uint64_t>(size) + (with_fin ? 1 : 0)};
}

bool Sender::can_send() {
  if (probe_) return true;
  if (phase_ != Phase::open)
    if (const auto* sent = board_.next_lost(); sent != nullptr && room_for(std::min(sent->at.size(), mss_)))
      return true;
  return fresh().has_value();
}

Sender::Out Sender::cut(const Stretch& at) const {
  Out out;
  out.begin = at.begin;
  out.syn = at.begin == 0;
  out.fin = closes_ && at.end == end_ + 1;
  out.length = static_cast<std::uint32_t>(at.size() - (out.syn ? 1 : 0) - (out.fin ? 1 : 0));
  out.push = at.end >= end_ && out.length > 0;
  return out;
}

std::optional<Sender::Out> Sender::next(Instant now) {
  if (phase_ != Phase::open)
    if (const auto* lost = board_.next_lost(); lost != nullptr && room_for(std::min(lost->at.size(), mss_))) {
      auto out = cut(lost->at);
      out.again = true;
      prr_out_ += lost->at.size();
      board_.sent_again(now);
      ++counters_.sent_again;
      ++counters_.segments;
      watch(now);
      return out;
    }
  if (const auto stretch = fresh()) {
    auto out = cut(*stretch);
    out.reduced = reduced_ && out.length > 0;
    if (out.length > 0) reduced_ = false;
    probe_ = false;
    if (phase_ == Phase::recovery) prr_out_ += stretch->size();
    board_.add({.at = *stretch, .when = now});
    next_ = stretch->end;
    was_limited_ = was_limited_ || limited();
    forced_ = false;
    ++counters_.segments;
    persists_ = false;
    watch(now);
    note_block(now);
    return out;
  }
  if (!probe_) return std::nullopt;
  probe_ = false;
  ++counters_.probes;
  Out out;
  out.begin = una_ - 1;  // old: the other end answers with its window
  out.probe = true;
  return out;
}

void Sender::update_window(const Acknowledgement& ack) {
  if (ack.sequence < window_from_ || (ack.sequence == window_from_ && ack.una < window_ack_)) return;
  window_from_ = ack.sequence;
  window_ack_ = ack.una;
  peer_window_ = ack.window;
  largest_window_ = std::max(largest_window_, ack.window);
}

void Sender::receive(const Acknowledgement& ack, Instant now) {
  if (ack.una > next_ || ack.una < una_) return;
  const auto window = peer_window_;
  update_window(ack);
  const bool duplicate =
      ack.una == una_ && ack.pure && board_.outstanding() > 0 && (selective_ ? ack.count > 0 : window == peer_window_);
  advance(ack, duplicate, now);
  if (phase_ == Phase::open && probe_ && peer_window_ > 0) probe_ = false;
  if (persists_ && peer_window_ > 0) {
    persists_ = false;
    round_trip_.reset_back_off();
  }
  watch(now);
  note_block(now);
}

void Sender::advance(const Acknowledgement& ack, bool duplicate, Instant now) {
  const auto flight = board_.in_flight();
  const bool moves = ack.una > una_;
  const auto acked = board_.acknowledge(ack.una);
  auto delivered = acked.delivered;
  una_ = ack.una;
  if (selective_) {
    delivered += board_.mark(ack.blocks, ack.count);
    board_.find_lost(mss_);
  } else if (duplicate) {
    board_.duplicate(mss_);
    delivered = mss_;
  } else if (moves) {
    board_.arrived_after_duplicates(phase_ == Phase::open ? acked.bytes + board_.duplicates() : acked.bytes - mss_);
  }
  if (moves) {
    if (acked.sent) round_trip_.sample(now - *acked.sent);
    round_trip_.reset_back_off();
    expires_ = never;  // and is set anew
  }
  congestion_.count_marks(acked.bytes, ack.echo, una_, next_);
  if (phase_ != Phase::open && una_ >= recover_) {
    if (phase_ == Phase::recovery) congestion_.set_window(congestion_.threshold());
    phase_ = Phase::open;
    board_.forget_duplicates();
  }
  if (!selective_ && phase_ == Phase::recovery && moves) board_.lose_first();  // a partial acknowledgement
  if (!selective_ && phase_ == Phase::open && board_.duplicates() >= 3 * mss_) board_.lose_first();
  if (phase_ == Phase::open && board_.lost() > 0) return begin_recovery(flight);
  if (phase_ == Phase::recovery) return reduce_proportionally(delivered);
  if (ack.echo && config_.marks()) react_to_echo();
  if (acked.bytes > 0 && una_ > 1 && (was_limited_ || phase_ == Phase::loss) && una_ > reduced_until_)
    congestion_.acknowledged(acked.bytes, round_trip_.smoothed(), now);
  was_limited_ = limited();
}

/// Whether the congestion window is what holds data back (RFC 7661); in slow start it may grow to twice what is in use,
/// as in Linux.
bool Sender::limited() const {
  const auto flight = board_.in_flight(), window = congestion_.window();
  return flight + mss_ > window || (window < congestion_.threshold() && window < 2 * flight);
}

void Sender::begin_recovery(std::int64_t in_flight) {
  phase_ = Phase::recovery;
  recover_ = next_;
  congestion_.lost();
  ++counters_.recoveries;
  reduced_ = config_.marks();
  prr_flight_ = std::max(in_flight, mss_);
  prr_delivered_ = prr_out_ = 0;
  if (config_.recovery == Recovery::rfc6675) return congestion_.set_window(congestion_.threshold());
  congestion_.set_window(board_.in_flight() + mss_);  // the fast retransmit
}

/// RFC 6937 section 3, with the slow-start reduction bound.
void Sender::reduce_proportionally(std::int64_t delivered) {
  if (config_.recovery == Recovery::rfc6675) return;
  prr_delivered_ += delivered;
  const auto pipe = board_.in_flight(), threshold = congestion_.threshold();
  std::int64_t more = 0;
  if (pipe > threshold) {
    more = (prr_delivered_ * threshold + prr_flight_ - 1) / prr_flight_ - prr_out_;
  } else {
    const auto bound = std::max(prr_delivered_ - prr_out_, delivered) + mss_;
    more = std::min(threshold - pipe, bound);
  }
  congestion_.set_window(pipe + std::max<std::int64_t>(more, 0));
}

/// Once a window (RFC 3168 section 6.1.2, RFC 8257 section 3.3).
void Sender::react_to_echo() {
  if (una_ <= reduced_until_ || phase_ != Phase::open) return;
  reduced_until_ = next_;
  congestion_.marked();
  congestion_.set_window(congestion_.threshold());
  ++counters_.reductions;
  reduced_ = true;
}

/// Sets the timer: of the oldest segment on its way, or of a window that is closed.
void Sender::watch(Instant now) {
  if (board_.outstanding() > 0) {
    if (expires_ == never || persists_) expires_ = now + round_trip_.timeout();
    persists_ = false;
    return;
  }
  if (next_ < limit() && !fresh() && una_ > 0) {
    if (!persists_ || expires_ == never) expires_ = now + round_trip_.timeout();
    persists_ = true;
    return;
  }
  persists_ = false;
  expires_ = never;
}

void Sender::note_block(Instant now) {
  const auto left = next_ < end_ && una_ > 0;
  const auto window = static_cast<std::int64_t>(una_) + peer_window_ - static_cast<std::int64_t>(next_);
  // A full window behind a loss is not what is meant: then the other end still offers all it has.
  const bool blocked = left && peer_window_ <= largest_window_ / 2 &&
                       window < std::min(mss_, static_cast<std::int64_t>(end_ - next_)) &&
                       room_for(std::min(mss_, largest_window_));
  if (blocked && blocked_since_ == never) blocked_since_ = now;
  if (blocked || blocked_since_ == never) return;
  counters_.closed += now - blocked_since_;
  blocked_since_ = never;
}

void Sender::expire(Instant now) {
  if (now < expires_) return;
  expires_ = never;
  round_trip_.back_off();
  if (persists_) {
    (peer_window_ > 0 ? forced_ : probe_) = true;
    return watch(now);
  }
  ++counters_.timeouts;
  if (una_ > 0) {  // the loss of a SYN says nothing of the way for data
    if (phase_ != Phase::loss || una_ >= recover_) congestion_.timed_out();
    congestion_.set_window(mss_);
  }
  phase_ = Phase::loss;
  recover_ = next_;
  board_.lose_all();
  watch(now);
}

}  // namespace peerpath::tcp
