// What a NIC keeps of the contexts of its queue pairs.
#pragma once

#include <cstdint>

#include "core/host/associative_cache.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::roce {

/// All contexts are in host memory: one that is not kept is read over PCIe before a packet of its queue pair is taken
/// in.
struct ContextConfig {
  int entries = 0;  ///< that the NIC keeps; 0: all there are
  Duration miss{};  ///< until the context is there
};

/// Contexts by queue pair, in sets of four, the one used longest ago first to go.
class ContextCache {
 public:
  static constexpr std::size_t ways = 4;
  explicit ContextCache(const ContextConfig& config)
      : held_{(static_cast<std::size_t>(config.entries) + ways - 1) / ways, ways, device::Replacement::lru} {}

  /// Whether the context was there; from now on it is.
  bool use(std::uint32_t qp) {
    const auto key = mix(qp) >> 1;
    if (held_.find(key)) return true;
    held_.insert(key);
    return false;
  }

 private:
  host::AssociativeCache held_;
};

}  // namespace peerpath::roce
