// Who gives commands to a drive: software of the host, a core for each queue.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "devices/nvme/cookie.hpp"
#include "devices/nvme/queue_pair.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nvme {

/// Commands that keep one queue pair busy.
struct Stream {
  Opcode opcode{};
  std::uint64_t address = 0;  ///< start of the window of buffers, which are taken in turn
  Bytes window{};
  std::vector<Bytes> sizes;  ///< taken in turn
  BitRate rate{};            ///< of data offered
  /// Is told of each command that did not fail: when it was submitted, when its completion was seen, and its data.
  std::function<void(Instant begin, Instant end, Bytes size)> done{};
  Duration submit_time{};  ///< from the submission of a command to the next one's, at least
};

/// Writes commands into submission queues and rings their doorbells; takes completions and rings theirs. A command
/// that finds `queue_depth` in flight waits, and its latency counts from its submission, as that of fio.
class Submitter final : public device::Endpoint {
 public:
  /// The stream of each pair has its number. `doorbells`: bus address of the drive's BAR0.
  Submitter(fabric::NodeId drive, std::uint64_t doorbells, std::vector<QueuePair*> pairs, std::vector<Stream> streams);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  std::int64_t submitted() const { return submitted_; }
  std::int64_t completed() const { return completed_; }
  std::int64_t doorbells() const { return rung_; }
  /// Commands in flight, summed over time until `now`.
  WideInt depth_until(Instant now) const { return depth_time_ + WideInt{in_flight()} * (now - counted_).count(); }
  std::int64_t in_flight() const { return submitted_ - completed_; }

 private:
  struct Queue {
    QueuePair* pair;
    Stream stream;
    Ring submissions, completions;
    std::vector<std::uint16_t> free;  ///< command ids
    std::vector<Instant> begun{};     ///< by command id
    std::vector<Bytes> sizes{};       ///< the same
    std::int64_t number = 0;          ///< commands so far
    Instant core_free{};              ///< when the next one can be submitted
    Bytes offered{}, place{};
  };

  void fill(std::uint32_t queue, Instant now, device::Outbox& out);
  static std::uint64_t next_buffer(Queue& queue, Bytes size);
  void ring(std::uint32_t queue, Work which, std::uint32_t value, Instant now, device::Outbox& out);
  void count_depth(Instant now);

  fabric::NodeId drive_;
  std::uint64_t doorbells_;
  std::vector<Queue> queues_;
  std::int64_t submitted_ = 0, completed_ = 0, rung_ = 0;
  WideInt depth_time_ = 0;  ///< until `counted_`
  Instant counted_{};
};

}  // namespace peerpath::nvme
