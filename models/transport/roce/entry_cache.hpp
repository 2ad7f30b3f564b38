// What a NIC keeps of tables that are in host memory: contexts of queue pairs, and translations of registered memory.
#pragma once

#include <cstdint>

#include "core/host/associative_cache.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::roce {

/// The table that translates registered memory (MTT): of a page that is not kept the entry is read over PCIe before
/// data can be written.
struct TranslationConfig {
  int entries = 0;   ///< that the NIC keeps; 0: all there are
  Bytes page{4096};  ///< what an entry is about; a power of two
  Duration miss{};   ///< until the entry is there

  /// The entry of an address that a queue pair writes to.
  std::uint64_t entry(std::uint32_t qp, std::uint64_t address) const {
    return std::uint64_t{qp} << 40 | address / static_cast<std::uint64_t>(page.count());
  }
};

/// Contexts of queue pairs: one that is not kept is read over PCIe before a packet of its queue pair is taken in.
struct ContextConfig {
  int entries = 0;  ///< that the NIC keeps; 0: all there are
  Duration miss{};  ///< until the context is there
};

/// Entries in sets of four, the one used longest ago first to go.
class EntryCache {
 public:
  static constexpr std::size_t ways = 4;
  explicit EntryCache(int entries)
      : held_{(static_cast<std::size_t>(entries) + ways - 1) / ways, ways, device::Replacement::lru} {}

  /// Whether the entry was there; from now on it is.
  bool use(std::uint64_t entry) {
    const auto key = mix(entry) >> 1;
    if (held_.find(key)) return true;
    held_.insert(key);
    return false;
  }

 private:
  host::AssociativeCache held_;
};

}  // namespace peerpath::roce
