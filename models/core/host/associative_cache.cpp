#include "core/host/associative_cache.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::host {

using device::Replacement;

AssociativeCache::AssociativeCache(std::size_t sets, std::size_t ways, Replacement replacement, std::uint64_t seed)
    : sets_{sets},
      ways_{ways},
      replacement_{replacement},
      random_{seed, "cache"},
      keys_(sets * ways, nothing),
      stamps_(sets * ways) {
  require(sets > 0 && ways > 0, "a cache holds something");
}

bool AssociativeCache::search(std::uint64_t key) {
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(set_of(key));
  const auto end = begin + static_cast<std::ptrdiff_t>(ways_);
  const auto found = std::find(begin, end, key);
  if (found != end) last_ = static_cast<std::size_t>(found - keys_.begin());
  return found != end;
}

std::size_t AssociativeCache::insert(std::uint64_t key, std::size_t ways) {
  const auto begin = set_of(key), end = begin + std::min(ways, ways_);
  std::size_t slot = begin;
  for (std::size_t i = begin; i < end && keys_[slot] != nothing; ++i)
    if (keys_[i] == nothing || stamps_[i] < stamps_[slot]) slot = i;
  if (replacement_ == Replacement::random && keys_[slot] != nothing)
    slot = begin + static_cast<std::size_t>(random_.below(end - begin));
  keys_[slot] = key;
  stamps_[slot] = ++now_;
  return slot;
}

void AssociativeCache::erase(std::uint64_t key) {
  const auto slot = find(key);
  if (!slot) return;
  keys_[*slot] = nothing;
  stamps_[*slot] = 0;
}

void AssociativeCache::clear() {
  std::ranges::fill(keys_, nothing);
  std::ranges::fill(stamps_, std::uint64_t{0});
}

}  // namespace peerpath::host
