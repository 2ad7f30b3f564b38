#include "transport/tcp/connection.hpp"

#include <algorithm>

namespace peerpath::tcp {
namespace {

constexpr std::int64_t largest_window = 65535;

/// The scale with which the whole receive buffer can be told of (RFC 7323 section 2.2).
int scale_for(Bytes buffer) {
  int scale = 0;
  while (scale < 14 && (buffer.count() >> scale) > largest_window) ++scale;
  return scale;
}

/// A timestamp ticks each microsecond, as Linux's may.
std::uint32_t tick(Instant now) { return static_cast<std::uint32_t>(femtoseconds(now) / 1'000'000'000); }

}  // namespace

Connection::Connection(const Config& config, std::uint32_t initial)
    : config_{config},
      sender_{config},
      receiver_{config},
      initial_{initial},
      mss_{config.mss()},
      scale_{scale_for(config.receive_buffer)},
      timestamps_{config.timestamps} {}

void Connection::connect() { state_ = State::syn_sent; }

/// The position whose low 32 bits are `wire`, nearest to one that is known.
std::uint64_t Connection::position_of(std::uint32_t wire, std::uint32_t initial, std::uint64_t near) const {
  const auto off = static_cast<std::int32_t>(wire - initial - static_cast<std::uint32_t>(near));
  const auto position = static_cast<std::int64_t>(near) + off;
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

void Connection::handshake(const Segment& s) {
  peer_initial_ = s.sequence;
  peer_scale_ = s.scale;
  selective_ = config_.sack && s.sack_permitted;
  timestamps_ = config_.timestamps && s.timestamps;
  const auto least = std::min<std::uint32_t>(config_.mss(), static_cast<std::uint32_t>(s.mss) - (timestamps_ ? 12 : 0));
  mss_ = least;
  sender_.limit_segment(mss_);
  receiver_.limit_segment(mss_);
  sender_.set_selective(selective_);
}

Acknowledgement Connection::acknowledgement_of(const Segment& s) const {
  Acknowledgement ack;
  const auto una = sender_.una();
  ack.una = position_of(s.acknowledgement, initial_, una);
  ack.sequence = position_of(s.sequence, peer_initial_, receiver_.next());
  ack.window = std::int64_t{s.window} << (s.has(flag::syn) ? 0 : peer_scale_);
  ack.pure = s.length == 0 && !s.has(flag::syn) && !s.has(flag::fin);
  ack.echo = s.has(flag::ece) && !s.has(flag::syn);
  ack.count = std::min<std::size_t>(s.blocks, most_blocks);
  for (std::size_t i = 0; i < ack.count; ++i)
    ack.blocks[i] = {position_of(s.sack[i].begin, initial_, una), position_of(s.sack[i].end, initial_, una)};
  return ack;
}

void Connection::receive(const Segment& s, bool marked, Instant now) {
  if (state_ == State::syn_sent || state_ == State::listen) {
    const bool answers = s.has(flag::ack) && s.acknowledgement == initial_ + 1;
    if (!s.has(flag::syn) || (state_ == State::syn_sent) != answers) return;  // simultaneous opening is left out
    handshake(s);
    receiver_.begin();
    if (state_ == State::listen) {
      state_ = State::syn_received;
      sender_.open(s.window);
      return;
    }
    sender_.open(s.window);
    state_ = State::established;
    return sender_.receive(acknowledgement_of(s), now);
  }
  if (s.has(flag::ack)) sender_.receive(acknowledgement_of(s), now);
  if (state_ == State::syn_received && sender_.una() > 0) state_ = State::established;
  peer_timestamp_ = s.timestamp;
  const auto begin = position_of(s.sequence, peer_initial_, receiver_.next());
  const auto size = s.length + (s.has(flag::syn) ? 1u : 0u) + (s.has(flag::fin) ? 1u : 0u);
  if (size > 0)
    receiver_.receive(
        {.at = {begin, begin + size}, .fin = s.has(flag::fin), .marked = marked, .reduced = s.has(flag::cwr)}, now);
  else if (begin < receiver_.next())
    receiver_.acknowledge_now();  // a probe of the window
  follow();
}

/// Where the two halves have come to.
void Connection::follow() {
  if (state_ < State::established) return;
  const bool ours = sender_.fin_sent(), theirs = receiver_.finished();
  if (ours && theirs)
    state_ = sender_.fin_acknowledged() ? State::over : State::last;
  else if (ours)
    state_ = State::fin_wait;
  else if (theirs)
    state_ = State::close_wait;
}

bool Connection::can_send() { return state_ != State::listen && (receiver_.due() || sender_.can_send()); }

std::optional<Segment> Connection::next(Instant now) {
  if (state_ == State::listen) return std::nullopt;
  const bool due = receiver_.due();
  const auto out = receiver_.has_early() ? std::nullopt : sender_.next(now);
  if (!out && !due) return std::nullopt;
  Segment s;
  s.sequence = initial_ + static_cast<std::uint32_t>(out ? out->begin : sender_.next_position());
  if (out) {
    s.length = out->length;
    s.flags = static_cast<std::uint8_t>((out->syn ? flag::syn : 0) | (out->fin ? flag::fin : 0) |
                                        (out->push ? flag::psh : 0) | (out->reduced ? flag::cwr : 0));
  }
  if (s.has(flag::syn)) {
    s.mss = static_cast<std::uint16_t>(config_.mtu - 40);
    s.scale = static_cast<std::uint8_t>(scale_);
    s.sack_permitted = config_.sack && (state_ == State::syn_sent || selective_);
    if (config_.marks()) s.flags |= flag::ece | (state_ == State::syn_sent ? flag::cwr : 0);
  }
  s.timestamps = timestamps_;
  s.timestamp = tick(now);
  if (state_ != State::syn_sent) acknowledge_in(s);
  follow();
  return s;
}

void Connection::acknowledge_in(Segment& s) {
  const bool syn = s.has(flag::syn);
  const auto said = receiver_.say(syn ? 0 : scale_, selective_ && !syn);
  s.flags |= flag::ack;
  if (said.echo && !syn) s.flags |= flag::ece;
  s.acknowledgement = peer_initial_ + static_cast<std::uint32_t>(said.next);
  s.window = static_cast<std::uint16_t>(std::min(said.window >> (syn ? 0 : scale_), largest_window));
  s.echo = peer_timestamp_;
  s.blocks = static_cast<std::uint8_t>(said.count);
  for (std::size_t i = 0; i < said.count; ++i)
    s.sack[i] = {peer_initial_ + static_cast<std::uint32_t>(said.blocks[i].begin),
                 peer_initial_ + static_cast<std::uint32_t>(said.blocks[i].end)};
}

void Connection::expire(Instant now) {
  sender_.expire(now);
  receiver_.expire(now);
}

}  // namespace peerpath::tcp
