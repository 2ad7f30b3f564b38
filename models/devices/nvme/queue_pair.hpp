// A submission queue and its completion queue as they stand in memory. NVM Express Base Specification 2.0, sections
// 3.3.1 (queues in host memory), 3.3.3.1 (submission entry, 64 B) and 3.3.3.2 (completion entry, 16 B).
#pragma once

#include <cstdint>
#include <vector>

#include "peerpath/base/fail.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::nvme {

inline constexpr Bytes submission_entry{64}, completion_entry{16}, doorbell{4};

/// Head and tail of a ring: what lies in [head, tail) is not consumed. One entry stays free, or full would look empty.
class Ring {
 public:
  explicit Ring(int entries) : entries_{static_cast<std::uint32_t>(entries)} {}

  std::uint32_t head() const { return head_; }
  std::uint32_t tail() const { return tail_; }
  int used() const { return static_cast<int>((tail_ + entries_ - head_) % entries_); }
  bool empty() const { return head_ == tail_; }
  bool full() const { return next(tail_) == head_; }
  std::uint32_t next(std::uint32_t index) const { return (index + 1) % entries_; }
  /// Entries that lie in one piece from the head on.
  int contiguous() const { return static_cast<int>(head_ <= tail_ ? tail_ - head_ : entries_ - head_); }

  /// Takes the entry at the tail; the ring must not be full. Returns its index.
  std::uint32_t push() {
    require(!full(), "a queue of the drive has a free entry");
    const auto index = tail_;
    tail_ = next(tail_);
    return index;
  }
  void pop(int count = 1) { head_ = (head_ + static_cast<std::uint32_t>(count)) % entries_; }
  void set_head(std::uint32_t head) { head_ = head; }
  void set_tail(std::uint32_t tail) { tail_ = tail; }

 private:
  std::uint32_t entries_;
  std::uint32_t head_ = 0, tail_ = 0;
};

/// What a command does to the medium.
enum class Opcode : std::uint8_t {
  read,   ///< the drive writes to the buffer
  write,  ///< the drive reads from the buffer
};

/// A submission entry.
struct Command {
  std::uint16_t id = 0;  ///< CID; also which PRP list of the queue is its own
  Opcode opcode{};
  std::uint64_t address = 0;  ///< of the buffer
  Bytes size{};
};

/// A completion entry.
struct Completion {
  std::uint16_t id = 0;
  std::uint32_t sq_head = 0;  ///< SQHD: up to here the controller has taken commands
  bool failed = false;        ///< status: Data Transfer Error
};

/// Where a queue pair lies, and what software and controller have written there.
struct QueuePair {
  QueuePair(int entries, int depth)
      : submissions(static_cast<std::size_t>(entries)), completions(static_cast<std::size_t>(entries)), depth_{depth} {}

  static Bytes sq_size(int entries) { return submission_entry * entries; }
  static Bytes cq_size(int entries) { return completion_entry * entries; }
  int entries() const { return static_cast<int>(submissions.size()); }
  int depth() const { return depth_; }

  fabric::NodeId target{};  ///< of the data
  std::uint64_t sq_address = 0, cq_address = 0, prp_address = 0, msi_address = 0;
  std::vector<Command> submissions;
  std::vector<Completion> completions;

 private:
  int depth_;
};

}  // namespace peerpath::nvme
