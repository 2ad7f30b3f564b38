#include "validation/gpunet/emulation/block.hpp"

#include <chrono>
#include <thread>

namespace peerpath::gpunet::emulation {
namespace {

/// Bytes of a thread: whole units of 16, round robin as on a GPU. A loop of elements, which ThreadSanitizer sees.
template <class Unit>
void copy_share(unsigned char* to, const unsigned char* from, std::uint64_t count, unsigned thread, unsigned threads,
                const Unit& unit) {
  for (auto at = std::uint64_t{16} * thread; at < count; at += std::uint64_t{16} * threads)
    unit(to + at, from + at, count - at < 16 ? count - at : 16);
}

}  // namespace

bool Block::any(bool vote) {
  // Three counters: one is counted in, one may still be read, and one is cleared for the next round.
  auto& votes = group_.votes[round_ % 3];
  if (vote) votes.fetch_add(1, std::memory_order_relaxed);
  sync();
  const bool result = votes.load(std::memory_order_relaxed) != 0;
  if (thread_ == 0) group_.votes[(round_ + 2) % 3].store(0, std::memory_order_relaxed);
  ++round_;
  if (threads_ == 1) votes.store(0, std::memory_order_relaxed);
  return result;
}

void Block::put_bytes(void* to, const void* from, std::uint64_t count) {
  if (!group_.moves) return;
  copy_share(static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), count, thread_, threads_,
             [&](unsigned char* t, const unsigned char* f, std::uint64_t n) {
               if (group_.posted) return group_.posted->bytes(t, f, n);
               for (std::uint64_t i = 0; i < n; ++i) t[i] = f[i];
             });
}

void Block::get_bytes(void* to, const void* from, std::uint64_t count) {
  if (!group_.moves) return;
  copy_share(static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from), count, thread_, threads_,
             [](unsigned char* t, const unsigned char* f, std::uint64_t n) {
               for (std::uint64_t i = 0; i < n; ++i) t[i] = f[i];
             });
}

void Block::pause(unsigned looks) const {
  if (!group_.moves) return;
  if (looks < 32)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds{looks < 200 ? 20 : 200});
}

std::uint64_t Block::now() const {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count());
}

}  // namespace peerpath::gpunet::emulation
