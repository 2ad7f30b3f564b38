// Gathers completions so that several travel in one write.
#pragma once

#include <cstdint>

#include "peerpath/base/time.hpp"

namespace peerpath::nic {

/// Completions of one ring that are composed but not yet written. They are written when `batch` are there, or
/// `timeout` after the first of them.
class CompletionBatch {
 public:
  CompletionBatch(std::uint32_t ring_entries, std::uint32_t batch, Duration timeout)
      : entries_{ring_entries}, batch_{batch}, timeout_{timeout} {}

  /// Index of the next entry to compose.
  std::uint32_t next() const { return first_ + count_; }
  /// Counts the entry at `next()` as composed.
  void add(Instant now) {
    if (count_++ == 0) deadline_ = now + timeout_;
  }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ >= batch_; }
  Instant deadline() const { return empty() ? never : deadline_; }

  /// A run of entries that is contiguous in memory.
  struct Run {
    std::uint32_t first = 0, count = 0;
  };
  /// Takes the next run to be written; a batch that wraps gives two.
  Run take() {
    const std::uint32_t to_wrap = entries_ - (first_ & (entries_ - 1));
    const Run run{first_, count_ < to_wrap ? count_ : to_wrap};
    first_ += run.count;
    count_ -= run.count;
    return run;
  }

 private:
  std::uint32_t entries_, batch_;
  Duration timeout_;
  std::uint32_t first_ = 0, count_ = 0;
  Instant deadline_{};
};

}  // namespace peerpath::nic
