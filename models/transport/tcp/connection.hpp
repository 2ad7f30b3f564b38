// One end of a TCP connection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "transport/tcp/receiver.hpp"
#include "transport/tcp/sender.hpp"

namespace peerpath::tcp {

enum class State : std::uint8_t {
  listen,
  syn_sent,
  syn_received,
  established,
  fin_wait,    ///< 1 and 2: ours is sent
  close_wait,  ///< theirs has come
  last,        ///< LAST-ACK and CLOSING: both, ours not acknowledged
  over         ///< both acknowledged; TIME-WAIT answers what comes
};

/// Handshake, the two halves, and the end. Takes and gives `Segment`s, whoever carries them. Told the time.
class Connection {
 public:
  /// `initial`: first sequence number.
  Connection(const Config& config, std::uint32_t initial);

  void connect();
  void write(std::int64_t bytes) { sender_.write(bytes); }
  void close() { sender_.close(); }

  /// `marked`: it came with Congestion Experienced.
  void receive(const Segment& segment, bool marked, Instant now);
  bool can_send();
  /// Data, or an acknowledgement that is due.
  std::optional<Segment> next(Instant now);
  Instant deadline() const { return std::min(sender_.deadline(), receiver_.deadline()); }
  void expire(Instant now);

  std::int64_t readable() const { return receiver_.readable(); }
  void read(std::int64_t bytes) { receiver_.read(bytes); }
  void give_back(std::int64_t bytes) { receiver_.give_back(bytes); }

  State state() const { return state_; }
  /// The other end sends no more, and all that it sent has arrived.
  bool finished() const { return receiver_.finished(); }
  bool over() const { return state_ == State::over; }
  const Sender& sender() const { return sender_; }
  const Receiver& receiver() const { return receiver_; }
  std::uint32_t mss() const { return mss_; }
  /// Both ends mark packets as ECN-capable.
  bool marks() const { return config_.marks(); }

 private:
  void handshake(const Segment& segment);
  void follow();
  std::uint64_t position_of(std::uint32_t wire, std::uint32_t initial, std::uint64_t near) const;
  Acknowledgement acknowledgement_of(const Segment& segment) const;
  void acknowledge_in(Segment& segment);

  Config config_;
  Sender sender_;
  Receiver receiver_;
  State state_ = State::listen;
  std::uint32_t initial_, peer_initial_ = 0, mss_;
  int scale_ = 0, peer_scale_ = 0;
  std::uint32_t peer_timestamp_ = 0;
  bool selective_ = false, timestamps_ = false;
};

}  // namespace peerpath::tcp
