// A threadblock as a group of CPU threads, for the same kernels as on a GPU.
#pragma once

#include <atomic>
#include <barrier>

#include "peerpath/validation/gpunet/block.hpp"
#include "validation/gpunet/emulation/posted_writes.hpp"

namespace peerpath::gpunet::emulation {

/// What the threads of a block have in common.
struct Group {
  Group(const Net& shared_net, unsigned number, unsigned count) : net{shared_net}, index{number}, barrier{count} {}
  Net net;
  unsigned index;
  std::barrier<> barrier;
  Shared shared{};
  std::atomic<unsigned> votes[3] = {};
  PostedWrites* posted = nullptr;  ///< null: writes land at once
  bool moves = true;               ///< false: data stay where they are, only flags are exchanged, without a pause
  bool release = true;             ///< false: publish is a mere put, a mistake that tests must notice
};

/// One thread's view of its block.
class Block {
 public:
  Block(Group& group, unsigned thread, unsigned threads) : group_{group}, thread_{thread}, threads_{threads} {}

  unsigned thread() const { return thread_; }
  unsigned threads() const { return threads_; }
  unsigned index() const { return group_.index; }
  Shared& shared() { return group_.shared; }
  const Net& net() const { return group_.net; }
  void sync() {
    if (threads_ > 1) group_.barrier.arrive_and_wait();
  }
  bool any(bool vote);

  std::uint64_t load(const std::uint64_t* word) {
    if (group_.posted) group_.posted->some();
    return std::atomic_ref{*const_cast<std::uint64_t*>(word)}.load(std::memory_order_acquire);
  }
  void put(std::uint64_t* word, std::uint64_t value) {
    if (group_.posted) return group_.posted->word(word, value);
    std::atomic_ref{*word}.store(value, std::memory_order_relaxed);
  }
  void publish(std::uint64_t* word, std::uint64_t value) {
    if (!group_.release) return put(word, value);
    if (group_.posted) group_.posted->all();
    std::atomic_ref{*word}.store(value, std::memory_order_release);
  }
  void put_bytes(void* to, const void* from, std::uint64_t count);
  void get_bytes(void* to, const void* from, std::uint64_t count);
  /// Yields, and after some looks sleeps: the proxy may need this very processor.
  void pause(unsigned looks) const;
  std::uint64_t now() const;

  /// Of several threads or blocks, in GPU memory or shared memory; both return what was there.
  template <class T>
  T add(T* to, T value) {
    return std::atomic_ref{*to}.fetch_add(value, std::memory_order_relaxed);
  }
  std::uint64_t exchange_if(std::uint64_t* at, std::uint64_t expected, std::uint64_t value) {
    std::atomic_ref{*at}.compare_exchange_strong(expected, value, std::memory_order_relaxed);
    return expected;
  }

 private:
  Group& group_;
  unsigned thread_, threads_;
  unsigned round_ = 0;  ///< of votes
};
static_assert(Threadblock<Block>);

}  // namespace peerpath::gpunet::emulation
