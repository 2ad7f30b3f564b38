// The answering half of a reliable connection.
#pragma once

#include <cstdint>
#include <optional>

#include "peerpath/base/ring.hpp"
#include "transport/roce/packet.hpp"
#include "transport/roce/work.hpp"

namespace peerpath::roce {

/// The memory behind a responder.
class Target {
 public:
  virtual ~Target() = default;
  /// Whether the key opens these bytes.
  virtual bool allows(Operation operation, std::uint32_t key, std::uint64_t address, std::uint32_t length) = 0;
  /// Payload of a packet has arrived. `address`: of a send, its place in the message.
  virtual void place(const Packet& packet, std::uint64_t address) = 0;
  /// A whole message has arrived.
  virtual void arrived(const Packet& last, Instant now) = 0;
  /// Does an atomic operation; returns what was there.
  virtual std::uint64_t modify(const Packet& packet) = 0;
};

/// Takes packets of a requester in order, places their data once, and answers. With selective repeat packets with data
/// are also taken out of order; the NAK then names in its MSN the packet that came (IRN does so in headers of its own).
class Responder {
 public:
  static constexpr int unlimited = -1;

  /// `attributes`: those of the requester at the other end, but `remote_qp` is that one's number.
  Responder(const ConnectionAttributes& attributes, Target& target) : attributes_{attributes}, target_{target} {
    expected_ = attributes.first_psn;
  }

  /// Receive requests posted, for sends and writes with immediate data; at first there is no end to them.
  void limit_receives(int count) { receives_ = count; }
  void post_receive() { receives_ += receives_ == unlimited ? 0 : 1; }

  void receive(const Packet& packet, Instant now);

  /// Answers that wait to be sent.
  bool can_send() const { return !answers_.empty(); }
  /// Whether the next one carries data of a read.
  bool sends_data() const { return can_send() && answers_.front().kind == Answer::Kind::read; }
  /// The next packet; `address`: of the data that it carries, if it is a read response.
  struct Outgoing {
    Packet packet{};
    std::uint64_t address = 0;
  };
  Outgoing next();

  /// Whether all that it knows is the number of the packet that it expects next (and how many messages there were,
  /// which nobody needs that waits for none), and that; and one that begins with such a number.
  bool is_quiet() const {
    return answers_.empty() && results_.empty() && kept_.empty() && inside_ == Inside::none && !refused_ && !error_ &&
           receives_ == unlimited;
  }
  std::uint64_t expected() const { return expected_; }
  void begin_at(std::uint64_t sequence) { expected_ = sequence; }

  std::int64_t out_of_order() const { return out_of_order_; }

 private:
  struct Answer {
    enum class Kind : std::uint8_t { acknowledge, atomic, read } kind{};
    std::uint8_t syndrome = 0;
    std::uint64_t sequence = 0;
    std::uint32_t msn = 0;
    std::uint32_t cause = 0;  ///< of a selective NAK
    std::uint64_t address = 0, value = 0;
    std::uint32_t left = 0;  ///< bytes of a read to send
    bool begun = false;
  };
  struct Result {
    std::uint64_t sequence = 0, value = 0;
  };
  struct Kept {
    bool have = false;
    Packet packet{};
  };

  void duplicate(const Packet& packet, std::uint64_t sequence);
  void ahead(const Packet& packet, std::uint64_t sequence);
  void in_order(const Packet& packet, std::uint64_t sequence, Instant now);
  bool takes(const Packet& packet);
  void data(const Packet& packet, Instant now);
  void read(const Packet& packet, std::uint64_t sequence);
  void acknowledge(std::uint64_t sequence);
  void refuse(std::uint8_t syndrome, std::uint64_t sequence);
  void take_kept(Instant now);
  std::uint64_t packets_of(std::uint32_t bytes) const {
    return bytes == 0 ? 1 : (bytes + attributes_.mtu - 1) / attributes_.mtu;
  }

  ConnectionAttributes attributes_;
  Target& target_;
  Ring<Answer> answers_;
  Ring<Result> results_;  ///< of atomics, to answer them again
  Ring<Kept> kept_;       ///< selective repeat: packet expected_ + i
  std::uint64_t expected_ = 0;
  std::uint32_t msn_ = 0;
  std::uint64_t address_ = 0;  ///< of the next data of the message that has begun
  enum class Inside : std::uint8_t { none, send, write } inside_{};
  int receives_ = unlimited;
  bool refused_ = false, error_ = false;
  std::int64_t out_of_order_ = 0;
};

}  // namespace peerpath::roce
