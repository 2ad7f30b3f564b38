// The sending half of a connection: what to send when, and what to send again.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/tcp/congestion_control.hpp"
#include "transport/tcp/round_trip.hpp"
#include "transport/tcp/scoreboard.hpp"

namespace peerpath::tcp {

/// Counters of a sender since the start.
struct SenderCounters {
  std::int64_t segments = 0, sent_again = 0, timeouts = 0, recoveries = 0, reductions = 0, probes = 0;
  Duration closed{};  ///< time in which only the other end's window kept data from leaving
};

/// An acknowledgement in positions of the stream.
struct Acknowledgement {
  std::uint64_t una = 0;       ///< next position that the other end expects
  std::uint64_t sequence = 0;  ///< of the segment that carries it, in the other direction's stream
  std::int64_t window = 0;     ///< bytes that it takes beyond `una`
  bool pure = false;           ///< carries no data, SYN or FIN
  bool echo = false;           ///< ECE
  std::array<Stretch, most_blocks> blocks{};
  std::size_t count = 0;
};

/// Window, timers and loss recovery: slow start, congestion avoidance, fast retransmit and recovery with SACK
/// (RFC 6675) or without (RFC 6582), retransmission timeouts (RFC 6298), zero-window probes (RFC 9293, 3.8.6.1). It is
/// told the time. Positions: SYN 0, data from 1, FIN behind the last byte.
class Sender {
 public:
  explicit Sender(const Config& config);

  /// More bytes of the application.
  void write(std::int64_t bytes) { end_ += static_cast<std::uint64_t>(bytes); }
  /// No more bytes: a FIN follows.
  void close() { closes_ = true; }
  void limit_segment(std::uint32_t mss);
  void set_selective(bool on) { selective_ = on; }
  /// The first window that the other end has told of.
  void open(std::int64_t window) { peer_window_ = largest_window_ = window; }

  struct Out {
    std::uint64_t begin = 0;
    std::uint32_t length = 0;  ///< bytes of data
    bool syn = false, fin = false, push = false, again = false, probe = false, reduced = false;
  };
  /// Whether `next` has a segment.
  bool can_send();
  std::optional<Out> next(Instant now);
  void receive(const Acknowledgement& ack, Instant now);

  Instant deadline() const { return expires_; }
  void expire(Instant now);

  bool fin_sent() const { return closes_ && next_ == end_ + 1; }
  bool fin_acknowledged() const { return closes_ && una_ == end_ + 1; }
  std::uint64_t una() const { return una_; }
  std::uint64_t next_position() const { return next_; }
  /// Bytes of the application that have not been sent for the first time.
  std::int64_t unsent() const {
    return next_ >= end_ ? 0 : static_cast<std::int64_t>(end_ - std::max<std::uint64_t>(next_, 1));
  }
  const SenderCounters& counters() const { return counters_; }
  /// With the time that the window has been closed until now.
  SenderCounters counters_until(Instant now) const {
    auto out = counters_;
    if (blocked_since_ < now) out.closed += now - blocked_since_;
    return out;
  }
  const CongestionControl& congestion() const { return congestion_; }
  const RoundTrip& round_trip() const { return round_trip_; }
  std::int64_t in_flight() const { return board_.in_flight(); }
  /// Whether the other end's window alone holds data back.
  bool closed() const { return blocked_since_ != never; }

 private:
  enum class Phase : std::uint8_t { open, recovery, loss };

  std::uint64_t limit() const { return end_ + (closes_ ? 1 : 0); }
  std::optional<Stretch> fresh() const;
  bool room_for(std::int64_t bytes) const { return board_.in_flight() + bytes <= congestion_.window(); }
  Out cut(const Stretch& at) const;
  void update_window(const Acknowledgement& ack);
  void advance(const Acknowledgement& ack, bool duplicate, Instant now);
  void begin_recovery(std::int64_t in_flight);
  void reduce_proportionally(std::int64_t delivered);
  void react_to_echo();
  bool limited() const;
  void watch(Instant now);
  void note_block(Instant now);

  Config config_;
  std::int64_t mss_;
  CongestionControl congestion_;
  RoundTrip round_trip_;
  Scoreboard board_;
  SenderCounters counters_;
  std::uint64_t una_ = 0, next_ = 0, end_ = 1;
  std::uint64_t recover_ = 0;        ///< recovery or loss ends when this is acknowledged
  std::uint64_t reduced_until_ = 0;  ///< marks count again when this is acknowledged
  std::uint64_t window_from_ = 0;    ///< sequence and
  std::uint64_t window_ack_ = 0;     ///< acknowledgement of the segment that last set the window
  std::int64_t peer_window_ = 1, largest_window_ = 1;
  // Proportional rate reduction.
  std::int64_t prr_delivered_ = 0, prr_out_ = 0, prr_flight_ = 0;
  Phase phase_ = Phase::open;
  bool selective_ = false, closes_ = false, probe_ = false, was_limited_ = false, reduced_ = false, persists_ = false;
  bool forced_ = false;  ///< a short segment goes although more would be better
  Instant expires_ = never, blocked_since_ = never;
};

}  // namespace peerpath::tcp
