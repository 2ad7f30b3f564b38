// Independent predictions on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace peerpath::compare {

/// Calls `work(i)` for each i below `count`, on as many threads as there are processors, in no order. Each call may
/// write only what belongs to its own i. What one throws is thrown here, after the others have ended.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (auto i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> threads(
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency())));
  for (auto& thread : threads) thread = std::async(std::launch::async, take);
  for (auto& thread : threads) thread.wait();
  for (auto& thread : threads) thread.get();
}

}  // namespace peerpath::compare
