// What is on its way: which of it has arrived, is taken for lost, or was sent again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "peerpath/base/ring.hpp"
#include "peerpath/base/time.hpp"
#include "transport/tcp/segment.hpp"

namespace peerpath::tcp {

/// A stretch of the stream as positions: SYN is 0, data begins at 1.
struct Stretch {
  std::uint64_t begin = 0, end = 0;
  std::int64_t size() const { return static_cast<std::int64_t>(end - begin); }
};

/// One segment that has been sent.
struct Sent {
  Stretch at{};
  Instant when{};
  bool sacked = false, lost = false, again = false;  ///< again: the repetition is on its way
  bool repeated = false;                             ///< ever: its round trip is not known
};

/// The scoreboard of RFC 6675, by segments as they were cut first.
class Scoreboard {
 public:
  void add(const Sent& sent);
  bool empty() const { return sent_.empty(); }
  const Sent& front() const { return sent_.front(); }

  /// Bytes that are thought to be in the network ("pipe").
  std::int64_t in_flight() const { return out_ - sacked_ - lost_ + again_ - reno_; }
  std::int64_t outstanding() const { return out_; }
  std::int64_t lost() const { return lost_; }

  struct Acked {
    std::int64_t bytes = 0;         ///< acknowledged in order, for the first time
    std::int64_t delivered = 0;     ///< of them those that no block had reported
    std::optional<Instant> sent{};  ///< of the newest segment, unless one of them waited for a repetition
  };
  /// All before `una` has arrived.
  Acked acknowledge(std::uint64_t una);
  /// Blocks of an acknowledgement; the bytes that are new.
  std::int64_t mark(const std::array<Stretch, most_blocks>& blocks, std::size_t count);
  /// An acknowledgement that repeats the last one stands for a segment that has arrived; without SACK.
  void duplicate(std::int64_t bytes);
  void forget_duplicates() { reno_ = 0; }
  /// So many bytes of those that duplicates stood for are acknowledged now.
  void arrived_after_duplicates(std::int64_t bytes) {
    reno_ = std::max<std::int64_t>(0, reno_ - std::max<std::int64_t>(0, bytes));
  }
  std::int64_t duplicates() const { return reno_; }

  /// Takes for lost what more than two segments' worth of bytes have overtaken (RFC 6675 section 4).
  void find_lost(std::int64_t mss);
  /// The first segment; for NewReno.
  void lose_first();
  /// All that has not been reported: a timeout.
  void lose_all();

  /// The first lost segment that has not been sent again.
  const Sent* next_lost();
  /// It has been sent again.
  void sent_again(Instant now);

 private:
  Sent& at(std::uint64_t number) { return sent_[static_cast<std::size_t>(number - first_)]; }
  std::uint64_t end() const { return first_ + sent_.size(); }
  std::uint64_t find(std::uint64_t position) const;
  void lose(Sent& sent);

  Ring<Sent> sent_;
  std::uint64_t first_ = 0;    ///< number of the first segment
  std::uint64_t hint_ = 0;     ///< no lost segment to be sent again before
  std::uint64_t highest_ = 0;  ///< number behind the last one that a block reported
  std::uint64_t judged_ = 0;   ///< all before, that no block reported, is taken for lost
  std::int64_t out_ = 0, sacked_ = 0, lost_ = 0, again_ = 0, reno_ = 0;
  std::array<Stretch, most_blocks> seen_{};
};

}  // namespace peerpath::tcp
