// One direction of a connection, and what is on its way in it: what GPU, cores and NIC of both ends share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::proxy {

inline constexpr std::size_t moments = 7;  ///< of a message: six stages lie between them
using Moments = std::array<Instant, moments>;

/// Follows the messages of a connection through their stages, by the bytes that have passed each: what carries them
/// cuts and joins them as it likes.
class Track {
 public:
  std::function<void(Instant when, Bytes size)> began{};
  std::function<void(const Moments& at, Bytes size)> done{};

  void begin(Bytes size, Instant now) {
    end_ += size;
    Message message{end_, size, {}};
    message.at[0] = now;
    messages_.push_back(message);
    if (began) began(now, size);
  }
  /// So many bytes more have passed moment `stage` (1 to 6).
  void pass(int stage, Bytes bytes, Instant when) {
    if (stage < 0) return;
    const auto s = static_cast<std::size_t>(stage);
    passed_[s] += bytes;
    for (auto& message : messages_) {
      if (message.end > passed_[s]) break;
      if (message.at[s] == Instant{}) message.at[s] = when;
    }
    while (s + 1 == moments && !messages_.empty() && messages_.front().end <= passed_[s]) {
      const auto message = messages_.front();
      messages_.pop_front();
      if (done) done(message.at, message.size);
    }
  }
  /// Every message that has begun has passed it.
  void reach(int stage, Instant when) {
    if (stage >= 0) pass(stage, end_ - passed_[static_cast<std::size_t>(stage)], when);
  }
  std::size_t open() const { return messages_.size(); }

 private:
  struct Message {
    Bytes end{};
    Bytes size{};
    Moments at{};
  };
  Bytes end_{};
  std::array<Bytes, moments> passed_{};
  std::deque<Message> messages_;
};

/// Bytes that are there from a time on.
struct Piece {
  Bytes size{};
  Instant there{};
  bool in_ring = false;  ///< of an entry to the GPU: its bytes are not in itself
};

/// Which moment of its track an event of a lane is; -1: none.
struct Stamps {
  int stored = -1;     ///< an entry is in host memory
  int seen = -1;       ///< the sender's proxy has found it
  int sent = -1;       ///< its channel has taken it
  int announced = -1;  ///< the receiver's proxy has announced it
  int found = -1;      ///< the GPU has seen that
  int taken = -1;      ///< the GPU, or a program, has the bytes
};

/// Its queues hold what is there at the earliest at `there`.
struct Lane {
  Track* track = nullptr;
  Stamps stamps{};
  bool of_answers = false;  ///< it carries answers of another size to what the track follows, one at a time

  std::deque<Bytes> storing;  ///< entries that are on their way to host memory
  std::deque<Piece> out;      ///< entries in host memory
  Bytes out_used{};           ///< of the sender's ring
  int out_entries = 0;

  std::deque<Piece> wire;  ///< segments in the kernel's buffer
  Bytes wire_used{};

  std::deque<Bytes> requests;  ///< work requests that the NIC is told of
  std::deque<Bytes> flying;    ///< messages on the wire
  std::deque<Bytes> landing;   ///< messages whose completion is on its way to the receiver
  std::deque<Bytes> landed;    ///< and has come there
  std::deque<Bytes> acked;     ///< messages whose completion is on its way to the sender

  std::deque<Piece> in;  ///< announced entries
  Bytes in_used{};       ///< of the receiver's ring
  int in_entries = 0;
  /// Bytes and entries.
  struct Credit {
    Bytes bytes{};
    int entries = 0;
  };
  Credit untold{};               ///< taken by the GPU, which its proxy does not know
  std::deque<Credit> telling;    ///< the word is on its way
  Instant last{}, not_before{};  ///< of a receive; until when more shall gather

  void pass(int stage, Bytes bytes, Instant when) {
    if (track == nullptr) return;
    if (of_answers)
      track->reach(stage, when);
    else
      track->pass(stage, bytes, when);
  }
};

}  // namespace peerpath::proxy
