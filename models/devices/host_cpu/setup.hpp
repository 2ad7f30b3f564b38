// What a host's drivers are told at start: which NICs, which memory for what, which way to the GPU.
#pragma once

#include <memory>
#include <vector>

#include "devices/nic/queue_memory.hpp"

namespace peerpath::host_cpu {

/// A stretch of one memory, as a NIC or GPU addresses it.
struct Region {
  nic::MemoryPlace base{};
  Bytes size{};
};

/// How payload gets from host memory to the GPU or back, when the NIC does not reach it there.
struct BounceSetup {
  Region staging;                 ///< pinned host memory: between the CPU's copy and the one of the GPU's copy engine
  GpuAddress gpu_memory{};        ///< as much as `staging`
  nic::MemoryPlace doorbell{};    ///< of the GPU's copy engines
  nic::MemoryPlace completion{};  ///< in host memory, 8 bytes that are this queue's own
  bool by_core = true;            ///< a core copies between `staging` and the NIC's buffers; else these are one memory
};

/// A receive queue. Buffer i of the ring is the i-th piece of both regions.
struct RxSetup {
  nic::QueueIndex queue{};
  Region headers, payload;  ///< zero copy: `payload` is GPU memory; else host memory
  bool bounce = false;
  BounceSetup copy{};  ///< with `bounce`
};

/// A transmit queue that sends packets of one size at a regular rate, as far as the ring allows.
struct TxSetup {
  nic::QueueIndex queue{};
  Region headers, payload;  ///< what the NIC reads; with `bounce`, `payload` is host memory
  bool bounce = false;
  BounceSetup copy{};              ///< with `bounce`
  Bytes packet{4096};              ///< payload of a packet that the driver posts
  Bytes mss{};                     ///< > 0: the NIC cuts packets to this
  Duration interval{};             ///< between packets
  int burst = 1;                   ///< packets posted together, every burst * interval
  int flows = 1;                   ///< TCP connections, in turn
  std::uint32_t first_flow = 0;    ///< number of the first of them
  std::uint64_t first_handle = 0;  ///< in the frames of the first of them; the others' follow
};

/// A NIC with its queues.
struct NicSetup {
  fabric::NodeId node{};
  nic::MemoryPlace doorbells{};
  std::shared_ptr<nic::QueueMemory> memory;
  Bytes buffer_size{4096}, header_buffer_size{256};
  std::vector<RxSetup> rx;
  std::vector<TxSetup> tx;
};

/// A packet whose transmission the driver has seen completed.
struct SentRecord {
  nic::QueueIndex queue{};
  Bytes payload{};
  Instant posted{};     ///< the driver put it into the ring, or asked the GPU for it
  Instant completed{};  ///< the driver saw its completion
  fabric::NodeId nic{};
  bool lost = false;    ///< the NIC could not read it, and sent nothing
  bool spoilt = false;  ///< bounced: not all of it came to host memory, and other bytes were sent in its place
  Instant doorbell{};   ///< the driver was through with it, and its doorbell on the way
  Instant started{};    ///< the NIC began to read its data
  Instant read{};       ///< all of it was in the NIC
  Instant visible{};    ///< its completion had arrived in host memory
  Instant interrupt{};  ///< the latest interrupt of its queue
};

class SentSink {
 public:
  virtual ~SentSink() = default;
  virtual void on_sent(const SentRecord& packet) = 0;
};

}  // namespace peerpath::host_cpu
