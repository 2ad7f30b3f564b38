// What a NIC keeps of the table that translates registered memory (MTT).
#pragma once

#include <cstdint>

#include "core/host/associative_cache.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::roce {

/// The table itself is in host memory: of a page that is not kept the entry is read over PCIe before data can be
/// written.
struct TranslationConfig {
  int entries = 0;   ///< that the NIC keeps; 0: all there are
  Bytes page{4096};  ///< what an entry is about; a power of two
  Duration miss{};   ///< until the entry is there
};

/// Entries by queue pair and page, in sets of four, the one used longest ago first to go.
class TranslationCache {
 public:
  static constexpr std::size_t ways = 4;
  explicit TranslationCache(const TranslationConfig& config)
      : page_{static_cast<std::uint64_t>(config.page.count())},
        held_{(static_cast<std::size_t>(config.entries) + ways - 1) / ways, ways, device::Replacement::lru} {}

  /// Whether the entry was there; from now on it is.
  bool use(std::uint32_t qp, std::uint64_t address) {
    const auto key = mix(std::uint64_t{qp} << 40 | address / page_) >> 1;
    if (held_.find(key)) return true;
    held_.insert(key);
    return false;
  }

 private:
  std::uint64_t page_;
  host::AssociativeCache held_;
};

}  // namespace peerpath::roce
