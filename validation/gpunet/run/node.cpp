#include "validation/gpunet/run/node.hpp"

#include <chrono>
#include <thread>

namespace peerpath::gpunet::run {

/// A GPU makes progress only if the host asks after it now and then, says CUDA.
bool Node::wait(double seconds) {
  const auto start = Clock::now();
  while (!done()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    if (Clock::now() - start < std::chrono::duration<double>{seconds}) continue;
    proxy().stop();
    for (int n = 0; n < 2000 && !done(); ++n) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return false;
  }
  return true;
}

}  // namespace peerpath::gpunet::run
