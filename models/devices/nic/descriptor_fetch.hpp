// Reads the descriptors that a driver has posted into the NIC ahead of their use.
#pragma once

#include <deque>

#include "devices/nic/context.hpp"
#include "devices/nic/cookie.hpp"

namespace peerpath::nic {

/// Prefetch of one ring. Free-running indices: consumed <= fetched <= requested <= posted. A read takes up to
/// `prefetch` descriptors and starts when a doorbell tells of new ones or what is at hand falls to `prefetch` or below.
/// A frame that takes more buffers than that has more of them read.
class DescriptorFetch {
 public:
  struct Role {
    Dma dma{};
    Bytes entry{};
    MemoryPlace ring{};
    std::uint32_t entries = 0;
    std::int64_t descriptors = 1;  ///< that an entry stands for
  };

  DescriptorFetch(Context& nic, QueueIndex queue, const Role& role) : nic_{&nic}, queue_{queue}, role_{role} {}

  /// The doorbell's value; one that promises more than the ring holds is counted and ignored.
  void posted(std::uint32_t producer, Instant now, device::Outbox& out);
  /// A read has ended. False if it belongs to the queue's life before the last restart, or failed.
  bool completed(const Cookie& cookie, pcie::Status status);
  /// Reads ahead; and on until `wanted` descriptors are at hand or asked for, as far as they are posted.
  void fetch(Instant now, device::Outbox& out, std::uint32_t wanted = 0);

  std::uint32_t available() const { return fetched_ - consumed_; }
  /// Those that are posted and not at hand.
  std::uint32_t under_way() const { return posted_ - fetched_; }
  std::uint32_t next() const { return consumed_; }
  void consume(std::uint32_t count = 1) { consumed_ += count; }

  void restart(const Role& role, std::uint8_t epoch);

 private:
  struct Read {
    std::uint32_t first = 0, count = 0;
    bool done = false;
  };
  Context* nic_;
  QueueIndex queue_;
  Role role_;
  std::uint8_t epoch_ = 0;
  std::uint32_t consumed_ = 0, fetched_ = 0, requested_ = 0, posted_ = 0;
  std::deque<Read> reads_;  ///< in order; a later one may end first
};

}  // namespace peerpath::nic
