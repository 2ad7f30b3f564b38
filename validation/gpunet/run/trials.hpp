// What is tried on nodes, and measured: each checks the content of all that it moves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/gpunet/run/node.hpp"

namespace peerpath::gpunet::run {

/// A fresh node; `which` of the machine's GPUs, for machines that have several.
using OpenNode = std::function<std::unique_ptr<Node>(int which, const Dimensions& size, const ProxyOptions& proxy)>;

struct Trial {
  OpenNode open;
  unsigned threads = 128;  ///< of a block
  Address address;         ///< to be used; further ones count on from it
};

struct Timing {
  std::vector<double> ns;  ///< of one operation, an entry each
  std::uint64_t bytes = 0;
  bool right = false;  ///< all content was as sent
  Metrics proxy;       ///< of all proxies that took part, from their start to their end
};

/// Round trips of a CPU program with an echo server in one block.
Timing echo(const Trial& trial, std::uint64_t bytes, int rounds);
/// The same with a thread of the CPU as the server, which never sleeps: the socket's own share.
Timing echo_of_cpu(const Address& address, std::uint64_t bytes, int rounds);
/// `connections` blocks with a connection each, all in use at once; ns are of one round over all of them.
Timing echo_many(const Trial& trial, std::uint64_t bytes, unsigned connections, int rounds);

/// Messages one way, from node 0 to node `to`, which may be the same GPU, `blocks` streams side by side through
/// `proxies` threads of each proxy; the content of one in `check_every` is looked at, and of the last. ns has one
/// entry, of all of it.
Timing stream(const Trial& trial, std::uint64_t bytes, std::uint64_t messages, unsigned blocks, unsigned proxies,
              std::uint32_t check_every, int to = 1);
/// The same by two threads that send and receive as proxies do, from and to buffers of the size of a ring.
Timing stream_of_cpu(const Address& address, std::uint64_t bytes, std::uint64_t messages, std::uint64_t buffer);

/// Of `streams` side by side: from four on, less is more than a core's cache as well.
constexpr std::uint64_t stream_ring(unsigned streams) {
  return streams < 4 ? Dimensions{}.ring_bytes : std::uint64_t{1} << 20;
}

}  // namespace peerpath::gpunet::run
