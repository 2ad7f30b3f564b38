#include "validation/gpunet/emulation/posted_writes.hpp"

#include <atomic>
#include <utility>

namespace peerpath::gpunet::emulation {

void PostedWrites::word(std::uint64_t* to, std::uint64_t value) {
  const std::lock_guard lock{mutex_};
  writes_.push_back({.word = to, .value = value, .to = nullptr, .bytes = {}});
  land(random_() % 3);
}

void PostedWrites::bytes(unsigned char* to, const unsigned char* from, std::size_t count) {
  const std::lock_guard lock{mutex_};
  writes_.push_back({.word = nullptr, .value = 0, .to = to, .bytes = {from, from + count}});
  land(random_() % 3);
}

void PostedWrites::some() {
  const std::lock_guard lock{mutex_};
  land(random_() % 4);
}

void PostedWrites::all() {
  const std::lock_guard lock{mutex_};
  land(writes_.size());
}

/// A later write to a place is never overtaken by an earlier one to it: no two under way have the same place, since a
/// place is written again only after the proxy has answered.
void PostedWrites::land(std::size_t most) {
  for (; most > 0 && !writes_.empty(); --most) {
    std::swap(writes_[random_() % writes_.size()], writes_.back());
    const auto write = std::move(writes_.back());
    writes_.pop_back();
    if (write.word) std::atomic_ref{*write.word}.store(write.value, std::memory_order_relaxed);
    for (std::size_t i = 0; i < write.bytes.size(); ++i) write.to[i] = write.bytes[i];
  }
}

}  // namespace peerpath::gpunet::emulation
