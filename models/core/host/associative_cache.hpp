// Which keys a set-associative cache holds: an IOTLB, a device's translation cache, a last-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "peerpath/base/random.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::host {

/// Keys only; what belongs to a key is the user's, by slot. Key k lives in set k mod sets.
class AssociativeCache {
 public:
  AssociativeCache(std::size_t sets, std::size_t ways, device::Replacement replacement, std::uint64_t seed = 0);

  /// The slot of a key that is held; counts as a use of it.
  std::optional<std::size_t> find(std::uint64_t key) {
    if (keys_[last_] != key && !search(key)) return {};
    if (replacement_ == device::Replacement::lru) stamps_[last_] = ++now_;
    return last_;
  }
  /// Puts a key that is not held into one of the first `ways` ways of its set (all, if there are fewer), in the place
  /// of nothing or of the key that is to go.
  std::size_t insert(std::uint64_t key, std::size_t ways = static_cast<std::size_t>(-1));
  void erase(std::uint64_t key);
  void clear();

  std::size_t slots() const { return keys_.size(); }

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  /// Whether the key is held, and then where.
  bool search(std::uint64_t key);
  std::size_t set_of(std::uint64_t key) const { return static_cast<std::size_t>(key % sets_) * ways_; }

  std::size_t sets_, ways_;
  device::Replacement replacement_;
  Random random_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> stamps_;  ///< of the last use (lru) or of the insertion (fifo)
  std::uint64_t now_ = 0;
  std::size_t last_ = 0;  ///< slot that was found last: streams stay on a page for a while
};

}  // namespace peerpath::host
