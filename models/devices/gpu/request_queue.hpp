// The one queue by which what a GPU asks of host memory leaves it: kernels' accesses, and copies beside them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "peerpath/device/endpoint.hpp"

namespace peerpath::gpu {

/// Stands between parts of a GPU and the fabric. What they ask for goes on in the order in which it is ready, as far as
/// the link takes it: reads while fewer requests than the GPU has tags are outstanding, writes while less than
/// `most_written` has not arrived. What cannot go on holds back all that is behind it, of whichever part and kind. Each
/// part keeps channels of its own behind the queue. Attach it as the parts want it, and `hears_arrivals`.
class RequestQueue final : public device::Endpoint {
 public:
  /// Writes that a link of 500 Gb/s has under way for 0.5 us: for its rate at the latency of any host here.
  static constexpr Bytes most_written{32 << 10};

  /// `tags` requests of `read_request` at a time; writes leave at `write_rate` (0: as the link takes them).
  RequestQueue(int tags, Bytes read_request, BitRate write_rate = {})
      : tags_{tags}, read_request_{read_request}, write_rate_{write_rate} {}

  /// Before the start; a part uses channels and timers below that number. Returns how many channels lie before its
  /// first.
  int add(device::Endpoint& part, int channels);
  int channels() const { return channels_; }
  std::size_t waiting() const { return waiting_.size(); }

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
  };
  struct Asked {
    std::size_t part;
    fabric::ChannelIndex channel;  ///< the part's own
    fabric::Transaction transaction;
  };
  void ask(const Asked& asked);
  void let_go(Instant now, device::Outbox& out);
  std::int64_t requests_of(const fabric::Transaction& t) const;

  int tags_;
  Bytes read_request_;
  BitRate write_rate_;
  std::vector<Part> parts_;
  int channels_ = 0;
  std::uint64_t number_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, Asked> waiting_;  ///< by when it is ready, and number
  std::map<std::uint64_t, Asked> under_way_;                    ///< by cookie
  std::int64_t reading_ = 0;                                    ///< requests
  Bytes writing_{};
  Instant next_{};  ///< what follows a write goes when that has left
};

}  // namespace peerpath::gpu
