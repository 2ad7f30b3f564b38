// The one queue by which what a GPU asks of host memory leaves it: kernels' accesses, and copies beside them.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "peerpath/device/endpoint.hpp"

namespace peerpath::gpu {

/// Stands between parts of a GPU and the fabric. What kernels ask for, and what copy engines ask for, waits in a line
/// of its own each, in the order in which it is ready. From these lines it is let into the queue while that has entries
/// free: by turns while both wait, `kernel_turns` requests of kernels for each read request of engines (as many bytes,
/// of 128 B and 256 B) and six for five writes of `engine_write`. What is in the queue goes on in order, as far as the
/// link takes it: reads while fewer requests than the GPU has tags are outstanding, writes while less than
/// `most_written` has not arrived; what cannot go on holds back all that is behind it. A kernel's read takes a turn of
/// its own, for which stores behind it wait, but reads do not: their data comes at the pace of the link. An entry is
/// free again when its access is over. Each part keeps channels of its own behind the queue. Attach it as the parts
/// want it, and `hears_arrivals`.
class RequestQueue final : public device::Endpoint {
 public:
  enum class Asks : std::uint8_t { kernel, engine };

  /// Writes that a link of 500 Gb/s has under way for 0.5 us: for its rate at the latency of any host here.
  static constexpr Bytes most_written{32 << 10};

  /// Requests in the queue and under way: a read has one for each request, a write one for each 128 B. Fitted, with
  /// `kernel_turns`: docs/validation.md, mixed traffic.
  static constexpr std::int64_t entries = 1024;
  static constexpr std::int64_t kernel_turns = 2;
  static constexpr Bytes engine_write{256};

  /// `tags` requests of `read_request` at a time; writes leave at `write_rate` (0: as the link takes them).
  RequestQueue(int tags, Bytes read_request, BitRate write_rate = {}, Duration read_turn = {})
      : tags_{tags}, read_request_{read_request}, write_rate_{write_rate}, read_turn_{read_turn} {}

  /// Before the start; a part uses channels and timers below that number. An access is over `reaction` after its
  /// delivery. Returns how many channels lie before its first.
  int add(device::Endpoint& part, int channels, Asks asks, Duration reaction = {});
  int channels() const { return channels_; }
  std::size_t waiting() const { return lines_[0].waiting.size() + lines_[1].waiting.size() + queue_.size(); }

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  /// Is for the part that was added first.
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

 private:
  class PartOutbox;
  struct Part {
    device::Endpoint* endpoint;
    int before;  ///< channels, and timers
    Asks asks;
    Duration reaction;
  };
  struct Asked {
    std::size_t part;
    fabric::ChannelIndex channel;  ///< the part's own
    fabric::Transaction transaction;
  };
  struct Line {
    std::map<std::pair<Instant, std::uint64_t>, Asked> waiting{};  ///< by when it is ready, and number
    std::int64_t turns = 0;                                        ///< taken so far
    bool ready(Instant now) const;
  };
  void ask(const Asked& asked);
  Line* next_line(Instant now);
  void let_in(Instant now);
  void let_go(Instant now, device::Outbox& out);
  void move(Instant now, device::Outbox& out);
  std::int64_t requests_of(const fabric::Transaction& t) const;
  std::int64_t turns_of(const Asked& asked) const;

  int tags_;
  Bytes read_request_;
  BitRate write_rate_;
  Duration read_turn_;
  std::vector<Part> parts_;
  int channels_ = 0;
  std::uint64_t number_ = 0;
  Line lines_[2];                                          ///< of kernels, of engines
  std::deque<Asked> queue_;                                ///< let in, and not gone yet
  std::int64_t used_ = 0;                                  ///< entries
  std::multiset<std::pair<Instant, std::int64_t>> freed_;  ///< entries, and when they will be
  std::map<std::uint64_t, Asked> under_way_;               ///< by cookie
  std::int64_t reading_ = 0;                               ///< requests
  Bytes writing_{};
  Instant next_{};        ///< what follows a write goes when that has left
  Instant next_store_{};  ///< not before the turns of the reads before it are over
  Instant wakes_ = never;
};

}  // namespace peerpath::gpu
