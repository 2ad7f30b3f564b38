// What requests of devices meet on their way into host memory: the last-level cache, a hop to the other socket.
#pragma once

#include <optional>
#include <vector>

#include "core/host/last_level_cache.hpp"
#include "peerpath/device/config.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::host_memory {

/// The gate of the direction towards the memory's node.
class MemoryGate final : public fabric::Gate {
 public:
  explicit MemoryGate(const device::HostMemoryConfig& config);

  Instant pass(const fabric::GatedTlp& tlp) override;

  /// Whether this memory needs a gate.
  static bool wanted(const device::HostMemoryConfig& config) {
    return config.cache || config.remote_hop || config.channels;
  }
  /// nullptr without a cache.
  host::LastLevelCache* cache() { return cache_ ? &*cache_ : nullptr; }
  const host::LastLevelCache* cache() const { return cache_ ? &*cache_ : nullptr; }

 private:
  std::optional<host::LastLevelCache> cache_;
  /// From when its channel serves an access of these bytes.
  Instant take_channel(std::uint64_t address, Bytes bytes, Instant at);

  Duration hop_;
  device::ChannelsConfig channels_;
  std::vector<Instant> channel_free_;  ///< none without channels
  Instant written_{};                  ///< when the last write so far is done
};

}  // namespace peerpath::host_memory
