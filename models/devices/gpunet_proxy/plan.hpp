// What the programs of one traffic entry do, and where its memory is.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "devices/gpunet_proxy/config.hpp"
#include "devices/gpunet_proxy/lane.hpp"

namespace peerpath::proxy {

inline constexpr Bytes inline_bytes{124};  ///< validation/gpunet: that travel in the entry itself
inline constexpr Bytes entry_bytes{256};
inline constexpr Bytes word_bytes{8};
inline constexpr int entries = 32;

/// What a block does.
enum class Job : std::uint8_t {
  echo,    ///< sends back what comes, as it comes
  ping,    ///< sends a message and waits for as much
  send,    ///< sends without end, each message after some work
  take,    ///< receives without end
  compare  ///< receives a message, asks memcached for one, works, answers
};

/// A block and its lanes.
struct BlockPlan {
  Job job = Job::echo;
  Lane* in = nullptr;
  Lane* out = nullptr;
  Lane* store_in = nullptr;  ///< from memcached
  Lane* store_out = nullptr;
  std::vector<Bytes> sizes;
  Bytes answer{};
  Duration work{};
};

/// A program of the CPU with connections to blocks of the GPU: it sends on all of them, then it waits for all answers.
struct ClientPlan {
  std::vector<Lane*> out, in;
  std::vector<Bytes> sizes;
  Bytes answer{};  ///< 0: as much as it sent
};

/// memcached: answers each request.
struct StorePlan {
  std::vector<Lane*> in, out;
  std::vector<Bytes> sizes;
  Bytes request{};
};

/// Lanes that a proxy serves: those of its GPU.
struct ProxyPlan {
  device::GpunetProxyConfig config;
  std::vector<Lane*> out, in;
};

/// How bytes travel.
struct Way {
  bool rdma = false;
  bool bounce = false;  ///< rdma: through host memory
  bool by_gpu = false;  ///< rdma: the GPU rings the doorbell
  bool tcp = false;
};

}  // namespace peerpath::proxy
