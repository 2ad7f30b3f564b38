// What requests of devices meet on their way into host memory: the last-level cache, a hop to the other socket.
#pragma once

#include <optional>
#include <vector>

#include "core/host/booked_time.hpp"
#include "core/host/last_level_cache.hpp"
#include "core/host/refresh.hpp"
#include "devices/host_memory/config.hpp"
#include "devices/host_memory/shared_limit.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::host_memory {

/// Banks of DRAM whose rows stay open until another row of their bank is wanted; which half of them a row is in, the
/// MiB of its address says. The model card is core/host/README.md.
struct Banks {
  int count = 16;                                 ///< a rank: 16 of DDR4 (JESD79-4); even
  Duration cycle = std::chrono::nanoseconds{47};  ///< tRC: from a row's opening to that of the bank's next one
};

/// The gate of the direction towards the memory's node.
class MemoryGate final : public fabric::Gate {
 public:
  explicit MemoryGate(const device::HostMemoryConfig& config);

  Instant pass(const fabric::GatedTlp& tlp) override;
  /// Without, as at first, nothing is ever refreshed.
  void set_refresh(const host::Refresh& refresh) { refresh_ = refresh; }
  /// Without, as at first, no fetch waits for a bank. The ranks are those of the refresh that is set before.
  void set_banks(const Banks& banks);
  /// A line that is on its way is not fetched again before it is there. Without, as at first, it is.
  void fetch_lines_once() { fetches_once_ = true; }

  /// A buffer in the memory, for `shared`. Before the start, from low addresses to high ones.
  void add_buffer(std::uint64_t address, Bytes size) {
    if (shared_) shared_->add_buffer(address, size);
  }

  /// Whether this memory needs a gate.
  static bool wanted(const device::HostMemoryConfig& config) {
    return config.cache || config.remote_hop || config.channels || config.shared ||
           config.partial_write_interval > Duration{0} || config.read_interval > Duration{0};
  }
  /// nullptr without a cache.
  host::LastLevelCache* cache() { return cache_ ? &*cache_ : nullptr; }
  const host::LastLevelCache* cache() const { return cache_ ? &*cache_ : nullptr; }
  /// For how long its channels were taken, summed over them, from the start until `now`.
  Duration channels_busy(Instant now) const;

 private:
  std::optional<host::LastLevelCache> cache_;
  /// From when its channel serves the access, at `at` at the earliest.
  Instant take_channel(const fabric::GatedTlp& tlp, Instant at);

  /// From when DRAM serves a fetch at this place.
  Instant after_refresh(std::uint64_t address, Instant at) const {
    return refresh_ ? host::after_refresh(*refresh_, address, at) : at;
  }

  /// From when its bank serves a fetch at this place: at once if the row is open.
  Instant take_bank(std::uint64_t address, Instant at);

  struct Bank {
    std::optional<std::uint64_t> row;
    Instant next{};  ///< when another row can be opened
  };

  /// Lines that are on their way, and when they are there.
  struct Fetch {
    std::uint64_t first, last;
    Instant there;
  };
  /// From when none of these bytes is on its way.
  Instant after_fetches(std::uint64_t address, Bytes bytes, Instant at);

  int ranks() const { return refresh_ ? refresh_->ranks : 1; }

  Duration hop_;
  std::optional<host::Refresh> refresh_;
  Duration bank_cycle_{};
  std::vector<Bank> banks_;  ///< rank by rank; none as at first
  bool fetches_once_ = false;
  std::vector<Fetch> fetches_;  ///< kept with `fetches_once_` only
  device::ChannelsConfig channels_;
  struct Channel {
    Instant free{};
    host::BookedTime busy;
  };
  std::vector<Channel> each_channel_;  ///< none without channels
  Instant written_{};                  ///< when the last write so far is done
  Duration read_interval_{};
  /// From when the next read request of a device is taken in. Each has a root port of its own, where they wait.
  struct Requester {
    fabric::NodeId node;
    Instant free{};
  };
  std::vector<Requester> requesters_;
  Instant take_in(fabric::NodeId requester, Instant at);
  Duration partial_interval_{};
  Instant partial_free_{};  ///< when the next write of less than a line is taken in
  std::optional<SharedLimit> shared_;
};

}  // namespace peerpath::host_memory
