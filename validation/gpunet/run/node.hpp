// Where a grid runs, with its net and its proxy: a GPU, or threads of the CPU in place of one.
#pragma once

#include <memory>
#include <string>

#include "validation/gpunet/apps/task.hpp"
#include "validation/gpunet/proxy/proxy.hpp"

namespace peerpath::gpunet::run {

class Node {
 public:
  virtual ~Node() = default;
  /// Memory that the grid computes in, all zero; until the node ends. Read and written by copies.
  virtual unsigned char* allocate(std::size_t bytes) = 0;
  virtual void write(unsigned char* to, const void* from, std::size_t bytes) = 0;
  virtual void read(void* to, const unsigned char* from, std::size_t bytes) = 0;
  /// Host memory that the grid maps, all zero: its addresses on the CPU and for the grid.
  struct Mapped {
    unsigned char* here;
    unsigned char* there;
  };
  virtual Mapped map(std::size_t bytes) = 0;

  virtual void launch(const apps::Task& task, unsigned blocks, unsigned threads) = 0;
  /// Whether the grid has ended.
  virtual bool done() = 0;
  virtual Proxy& proxy() = 0;
  virtual std::string name() const = 0;

  /// False if it takes longer; the net is stopped then.
  bool wait(double seconds);
};

/// A group of threads for each block. If not `moves`, the proxies alone are at work: what they send lies in their rings
/// already, and what they receive stays there.
std::unique_ptr<Node> open_cpu(const Dimensions& size, const ProxyOptions& proxy, bool moves = true);

}  // namespace peerpath::gpunet::run
