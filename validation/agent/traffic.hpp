// What the agent is asked to do: one half of one TCP stream, and with which memory.
#pragma once

#include <cstdint>
#include <string>

#include "validation/agent/outcome.hpp"

namespace peerpath::agent {

enum class Role : std::uint8_t { sink, source };
/// Kernel interface: plain sockets, Device Memory TCP, io_uring's zero-copy receive (sink only), RDMA.
enum class Api : std::uint8_t { socket, devmem, zcrx, verbs };
/// How payload gets from source to sink by RDMA: the source writes or sends it, or the sink reads it.
enum class RdmaOperation : std::uint8_t { write, read, send };
/// Where payload lies: pages of the process, pages exported by udmabuf, a virtio-gpu blob, a BAR exported by the
/// module, memory of the first GPU that CUDA or HIP finds.
enum class Provider : std::uint8_t { host, udmabuf, virtio_gpu, p2pdma, cuda, hip };

struct Memory {
  Provider provider = Provider::host;
  std::string path;                   ///< device node or driver library, if not the provider's usual one
  std::uint64_t bytes = 4ULL << 20U;  ///< a multiple of 4096; cuda and hip round up to 2 MiB
};

struct Traffic {
  Role role = Role::sink;
  Api api = Api::socket;
  std::string interface;                           ///< network device; needed for devmem and zcrx
  std::string device;                              ///< verbs: RDMA device; else the first one
  RdmaOperation operation = RdmaOperation::write;  ///< verbs only; the same at either end
  int queue = 1;                                   ///< receive queue that a sink of devmem or zcrx takes
  bool configure = true;  ///< sink of devmem or zcrx: set header split, RSS and a flow rule, and undo it after
  std::string address;    ///< sink: to listen on; source: to connect to. IPv4 or IPv6
  int port = 5201;
  std::uint64_t bytes = 1ULL << 20U;
  std::uint64_t seed = 1;
  std::uint64_t send_size = 64ULL << 10U;  ///< source: bytes a send; verbs: bytes an operation, the same at either end
  int mss = 0;                             ///< TCP maximum segment size; 0 leaves it to the kernel
  int timeout_s = 30;                      ///< for all of it
  Memory memory;
};

/// Reads a JSON object with the members above, `memory` an object; names and ranges are checked, all problems in one
/// text.
Expected<Traffic> read_traffic(const std::string& json);

/// Reads such a `memory` alone.
Expected<Memory> read_memory(const std::string& json);

/// The provider's name in JSON.
std::string name_of(Provider provider);

/// The one JSON document that the agent prints: {"role", "api", "memory", "bytes", ..., "problem"}.
std::string report_json(const Traffic& traffic, const Expected<Outcome>& outcome);

}  // namespace peerpath::agent
