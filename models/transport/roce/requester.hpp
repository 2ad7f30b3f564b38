// The sending half of a reliable connection.
#pragma once

#include <cstdint>
#include <optional>

#include "peerpath/base/ring.hpp"
#include "transport/roce/packet.hpp"
#include "transport/roce/work.hpp"

namespace peerpath::roce {

/// Cuts work requests into packets, hears acknowledgements, NAKs and answers, sends again what is lost, and says how
/// each request ended, in their order. It is told the time, and asked for packets when there is room on the wire.
/// Sequence numbers are kept with 64 bits; packets carry the low 24.
class Requester {
 public:
  explicit Requester(const ConnectionAttributes& attributes);

  /// In the error state the request ends as flushed.
  void post(const WorkRequest& request);
  /// Whether `next` has a packet now.
  bool can_send(Instant now) const;
  /// The next packet to send. `first_byte`: place in its message of the data it carries, and `request` that one's id.
  struct Outgoing {
    Packet packet{};
    std::uint64_t request = 0;
    std::uint32_t first_byte = 0;
    bool again = false;  ///< it has been sent before
  };
  Outgoing next(Instant now);
  /// An acknowledgement, NAK, read response or atomic answer has come in. Returns where in which request data goes.
  struct Incoming {
    std::uint64_t request = 0;
    std::uint32_t first_byte = 0;
    std::uint32_t length = 0;
  };
  std::optional<Incoming> receive(const Packet& packet, Instant now);

  /// When `expire` is to be called; `never` while nothing is awaited.
  Instant deadline() const;
  void expire(Instant now);
  /// To the error state, by an event outside: what is not over ends as flushed.
  void stop() { fail(WorkStatus::flushed); }

  bool idle() const { return messages_.empty(); }
  /// Whether all that it knows is the number of its next packet, and that; and one that begins with such a number.
  bool is_quiet() const { return idle() && completions_.empty() && !error_ && retransmissions_ + timeouts_ == 0; }
  std::uint64_t end() const { return end_; }
  void begin_at(std::uint64_t sequence) { unacknowledged_ = next_ = sent_ = end_ = highest_received_ = sequence; }
  bool has_failed() const { return error_; }
  /// Whether all packets of what was posted have been sent, so that the next request may follow.
  bool has_sent_all() const { return error_ || next_ == end_; }
  /// Whether the next packet is the first of a message that has not been sent before.
  bool begins_message() const {
    return next_ >= sent_ && next_ != end_ && next_ == messages_[cursor_].first && !recovering_;
  }
  std::size_t outstanding() const { return messages_.size(); }
  Ring<Completion>& completions() { return completions_; }
  std::int64_t retransmissions() const { return retransmissions_; }
  std::int64_t timeouts() const { return timeouts_; }

 private:
  struct Message {
    WorkRequest request{};
    std::uint64_t first = 0;    ///< sequence number of its first packet
    std::uint64_t packets = 1;  ///< of a read: of its answers
  };

  std::uint64_t end_of(const Message& m) const { return m.first + m.packets; }
  Outgoing make(const Message& message, std::uint64_t sequence);
  const Message& message_at(std::uint64_t sequence, std::size_t from) const;
  std::optional<std::uint64_t> hole() const;
  void acknowledge(std::uint64_t up_to, Instant now);
  void advance(std::uint64_t to);
  void complete_front(WorkStatus status, std::uint64_t value);
  void rewind();
  void negative(const Packet& packet, std::uint64_t sequence, Instant now);
  void fail(WorkStatus status);

  ConnectionAttributes attributes_;
  Ring<Message> messages_;
  Ring<Completion> completions_;
  Ring<std::uint8_t> received_;  ///< selective repeat: bit of sequence unacknowledged_ + i
  std::uint64_t unacknowledged_ = 0, next_ = 0, sent_ = 0, end_ = 0;
  std::uint64_t highest_received_ = 0, repeat_ = 0;
  std::uint64_t rewound_at_ = ~std::uint64_t{0};
  std::size_t cursor_ = 0;  ///< message of next_
  int reads_out_ = 0, retries_left_ = 0, rnr_left_ = 0;
  bool recovering_ = false, error_ = false;
  Instant expires_ = never, wait_until_{};
  std::int64_t retransmissions_ = 0, timeouts_ = 0;
};

}  // namespace peerpath::roce
