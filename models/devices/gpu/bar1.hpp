// The window through which peers reach a GPU's memory: what is mapped takes room in it. Model card: README.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/host/booked_time.hpp"
#include "devices/gpu/config.hpp"
#include "peerpath/base/time.hpp"

namespace peerpath::gpu {

/// What became of the pieces of memory that share too little of the window.
struct Bar1Counters {
  std::int64_t remaps = 0;  ///< pieces mapped in place of another one
  Duration busy{};          ///< software unmapping and mapping, what waits for that included
  Duration waiting{};       ///< for that, summed: of the transfer that needed it, for the driver too if it was busy
};

/// The room in the window, handed out in pages and never taken back, and the one thread of the driver that changes
/// mappings while traffic runs.
class Bar1 {
 public:
  explicit Bar1(const device::GpuConfig& config);

  Bytes size() const { return size_; }
  Bytes used() const { return used_; }  ///< what the driver keeps for itself included
  Bytes left() const { return size_ - used_; }
  /// What memory of this size takes of the window: whole pages.
  Bytes room_for(Bytes memory) const;
  /// Maps memory of this size; says where in the window it is, or nothing if there is no room.
  std::optional<Bytes> map(Bytes memory);

  /// Puts one piece into the place of another at `now` or when the driver is free; when that is done.
  Instant remap(Bytes piece, Instant now);
  const Bar1Counters& counters() const { return counters_; }
  /// For how long the driver has remapped until `now`. Transfers that a source plans ahead book the driver for later,
  /// which is not included.
  Duration busy_until(Instant now) const { return driver_.until(now); }

 private:
  device::Bar1Config config_;
  Bytes size_, used_, next_{};
  Instant free_{};  ///< the driver
  host::BookedTime driver_;
  Bar1Counters counters_;
};

/// A buffer that is larger than its share of the window. Its pieces take turns there: one that is not mapped when a
/// transfer needs it is put into the place of the one that was used longest ago, as registration caches do. A piece
/// with transfers in flight stays. At the start the last pieces are mapped, as after one pass over the buffer.
class Bar1Pieces {
 public:
  /// `share` is at `offset` of the window, and holds at least one piece and less than the buffer.
  Bar1Pieces(Bar1& window, Bytes piece, Bytes buffer, Bytes offset, Bytes share);

  Bytes piece() const { return piece_; }
  /// Whether a transfer at `at` of the buffer has its piece mapped, or could get it.
  bool available(Bytes at) const;
  /// Where in the window a transfer at `at` of the buffer goes, and from when on. It has to be available, must not
  /// reach over the end of its piece, and is to be released when it is done.
  struct Mapped {
    Bytes offset{};
    Instant ready{};
  };
  Mapped take(Bytes at, Instant now);
  void release(Bytes at);

 private:
  struct Slot {
    std::int64_t piece = 0;
    int transfers = 0;
    std::uint64_t last_use = 0;
    Instant ready{};
  };
  std::optional<std::size_t> victim() const;

  Bar1& window_;
  Bytes piece_, offset_;
  std::vector<Slot> slots_;
  std::map<std::int64_t, std::size_t> slot_of_;  ///< by piece
  std::uint64_t uses_ = 0;
};

}  // namespace peerpath::gpu
