// The receiving half of a connection: what has arrived, what the window may say, and when to acknowledge.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "transport/tcp/config.hpp"
#include "transport/tcp/scoreboard.hpp"

namespace peerpath::tcp {

/// Puts the stream together, delays acknowledgements, and advertises a window that what is not yet given back fills.
class Receiver {
 public:
  explicit Receiver(const Config& config);

  void limit_segment(std::uint32_t mss) { mss_ = mss; }
  /// The other end's SYN has come.
  void begin() {
    next_ = 1;
    now_ = true;
  }
  struct Data {
    Stretch at{};
    bool fin = false, marked = false, reduced = false;  ///< Congestion Experienced; CWR
  };
  void receive(const Data& data, Instant now);
  /// The other end asks for the window, or something is to be answered at once.
  void acknowledge_now() { now_ = true; }

  /// In order, and not yet read by the application.
  std::int64_t readable() const { return unread_; }
  /// The application has read them; their memory is its own until given back.
  void read(std::int64_t bytes);
  void give_back(std::int64_t bytes);
  std::int64_t held() const { return held_; }

  /// What an acknowledgement says. `early`: of the state before a mark changed (RFC 8257 section 3.2).
  struct Say {
    std::uint64_t next = 0;
    std::int64_t window = 0;
    bool echo = false;
    std::array<Stretch, most_blocks> blocks{};
    std::size_t count = 0;
  };
  /// Whether an acknowledgement is due now; otherwise `deadline` says when.
  bool has_early() const { return early_.has_value(); }
  bool due() const { return now_ || early_.has_value(); }
  Instant deadline() const { return delayed_; }
  void expire(Instant now) {
    if (now < delayed_) return;
    now_ = true;
    delayed_ = never;
  }
  /// For the next segment that leaves. `scale`: the window is rounded to it.
  Say say(int scale, bool blocks);

  /// Bytes behind a gap.
  std::int64_t waiting() const {
    std::int64_t sum = 0;
    for (const auto& r : ranges_) sum += r.at.size();
    return sum;
  }

  std::uint64_t next() const { return next_; }
  bool finished() const { return finished_; }
  std::int64_t repeated() const { return repeated_; }          ///< bytes that were there already
  std::int64_t out_of_order() const { return out_of_order_; }  ///< segments behind a gap
  bool closed() const { return window() < static_cast<std::int64_t>(mss_); }

 private:
  struct Range {
    Stretch at{};
    std::uint64_t age = 0;  ///< larger: grew later
  };

  /// Bytes beyond `next_` for which there is memory.
  std::int64_t free() const { return buffer_ - unread_ - (window_of_ == WindowOf::memory ? held_ : 0); }
  std::int64_t window() const { return static_cast<std::int64_t>(edge_ - next_); }
  bool keep(Stretch at);
  void take_in_order();
  void mark(bool marked);
  void offer();

  std::int64_t buffer_;
  WindowOf window_of_;
  Acknowledge acknowledge_;
  Duration delay_;
  bool marks_, precise_marks_;
  std::uint32_t mss_;
  std::uint64_t next_ = 0, edge_ = 0;
  std::uint64_t acknowledged_ = 0;  ///< told of last
  std::int64_t unread_ = 0, held_ = 0, repeated_ = 0, out_of_order_ = 0;
  std::vector<Range> ranges_;  ///< behind the gap, by place
  std::uint64_t age_ = 0, fin_at_ = ~std::uint64_t{0};
  int quick_ = 0;
  bool now_ = false, echo_ = false, finished_ = false;
  struct Early {
    std::uint64_t next = 0;
    bool echo = false;
  };
  std::optional<Early> early_;
  Instant delayed_ = never;
};

}  // namespace peerpath::tcp
