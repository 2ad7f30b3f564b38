// Runs a kernel on CPU threads: a grid of blocks, each a group of threads, over a net in host memory.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "validation/gpunet/emulation/block.hpp"

namespace peerpath::gpunet::emulation {

struct GridOptions {
  unsigned blocks = 1, threads = 2;
  bool moves = true;       ///< see Group
  bool posted = false;     ///< writes to the proxy are held back and reordered
  std::uint64_t seed = 1;  ///< of their order
  bool release = true;     ///< see Group
};

/// The kernel starts with the grid; the destructor, or `wait`, waits for its end.
class Grid {
 public:
  using Kernel = std::function<void(Block&)>;
  Grid(const Net& net, const GridOptions& options, Kernel kernel);
  ~Grid() { wait(); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  void wait();

 private:
  Kernel kernel_;
  std::vector<std::unique_ptr<PostedWrites>> posted_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::thread> threads_;
};

/// A net in host memory, GPU memory included.
class HostNet {
 public:
  explicit HostNet(const Dimensions& size);
  const Net& net() const { return net_; }
  Net& net() { return net_; }

 private:
  std::unique_ptr<unsigned char[], void (*)(unsigned char*)> memory_;
  std::vector<SocketState> state_;
  Net net_;
};

}  // namespace peerpath::gpunet::emulation
