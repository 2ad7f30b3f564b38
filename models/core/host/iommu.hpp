// Translation of bus addresses: an IOTLB, and the page walks of what it misses. The model card is README.md beside
// this.
#pragma once

#include <optional>
#include <vector>

#include "core/host/associative_cache.hpp"
#include "core/host/booked_time.hpp"
#include "core/host/refresh.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::host {

/// Since the start.
struct IommuCounters {
  std::int64_t hits = 0;     ///< the page is held, or on its way: a walk for it is under way
  std::int64_t misses = 0;   ///< walks
  std::int64_t of_size = 0;  ///< of the misses, those that an IOTLB with twice the entries would about have held
  std::int64_t flushes = 0;
  Duration waiting{};  ///< by which requests became later
};

/// One translation unit. Its times are those at which requests come to it; they may come up to a few TLPs out of order
/// of time, as those of different classes do.
class Iommu {
 public:
  explicit Iommu(const device::IommuConfig& config);

  /// When the access, which stays within one page, has its translation; not before `at`.
  Instant translate(std::uint64_t address, Instant at);
  struct Translated {
    Instant first{};
    std::int32_t count = 1;
  };
  /// The same for accesses of `step` bytes one behind the other, each `spacing` later than the one before: for the
  /// first and, at once, for as many of the `count` as surely wait as long as it does.
  Translated translate_run(std::uint64_t address, Bytes step, Instant at, Duration spacing, std::int32_t count);
  /// Forgets the pages of [address, address + size).
  void invalidate(std::uint64_t address, std::uint64_t size);
  void invalidate_all();

  /// From the start of one walk to that of the next at least, on average (it is exponentially distributed); 0, as at
  /// first: no limit beside the walkers.
  void set_walk_interval(Duration interval) { walk_interval_ = interval; }
  /// Walks read their tables in DRAM that is refreshed so. Without, as at first, none waits for that.
  void set_refresh(const Refresh& refresh) { refresh_ = refresh; }

  const IommuCounters& counters() const { return counters_; }
  /// For how long walkers walked, summed over them, from the start until `now`.
  Duration walking_until(Instant now) const { return walking_.until(now); }
  std::uint64_t page(std::uint64_t address) const { return address >> static_cast<unsigned>(config_.page_size); }

 private:
  /// Walks the table for a page; returns when its translation is there.
  [[gnu::noinline]] Instant walk(std::uint64_t key, Instant at);
  Duration next_gap();

  device::IommuConfig config_;
  AssociativeCache cache_;
  AssociativeCache missed_;            ///< pages that were missed lately, twice as many as `cache_` has entries
  std::vector<Instant> ready_;         ///< by slot: when its translation is there
  std::vector<Instant> walkers_free_;  ///< a heap, the next one free in front
  Duration walk_interval_{};
  std::optional<Refresh> refresh_;
  Random random_{1, "walks"};
  Instant next_walk_{};       ///< not before this
  std::int64_t flushed_ = 0;  ///< flush intervals over
  IommuCounters counters_;
  BookedTime walking_;
};

}  // namespace peerpath::host
