// How a driver asks a GPU to copy between its memory and host memory: the seam between the host CPU and the GPU's copy
// engine.
//
// The CPU puts a request into the table and writes 8 bytes to the GPU's copy doorbell (posted, Purpose::doorbell,
// notify_target); the cookie of that write is the request's handle. The GPU takes the request by the handle in
// on_delivery and moves `bytes` (Purpose::payload; a copy engine of the GPU is the requester): it reads them from
// `host`, or writes them there. When the last data is in its memory, or right behind the last write, it writes
// `copy_completion_size` bytes to `completion` (Purpose::completion_entry, notify_target) with the same handle as
// cookie. Posted writes of one channel arrive in order, so the data is there before. The CPU frees the request when it
// hears of that write.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/nic/rings.hpp"
#include "peerpath/base/fail.hpp"

namespace peerpath::host_cpu {

enum class CopyDirection : std::uint8_t { to_gpu, from_gpu };

/// One copy between host memory and GPU memory.
struct CopyRequest {
  CopyDirection direction = CopyDirection::to_gpu;
  nic::MemoryPlace host{};
  GpuAddress gpu{};
  Bytes bytes{};
  nic::MemoryPlace completion{};  ///< where the GPU writes that it is done
  bool failed = false;  ///< a part of it was refused: how the model measures, a completion does not say so here
};

inline constexpr Bytes copy_doorbell_size{8};
inline constexpr Bytes copy_completion_size{8};

/// The requests in flight between one host and its GPUs, by handle: what the descriptors in memory would say.
class CopyRequests {
 public:
  std::uint64_t add(const CopyRequest& request) {
    if (free_.empty()) {
      rows_.push_back(request);
      return rows_.size() - 1;
    }
    const std::uint64_t handle = free_.back();
    free_.pop_back();
    rows_[handle] = request;
    return handle;
  }

  const CopyRequest& at(std::uint64_t handle) const {
    require(handle < rows_.size(), "copy request handle out of range");
    return rows_[handle];
  }

  void fail(std::uint64_t handle) {
    require(handle < rows_.size(), "copy request handle out of range");
    rows_[handle].failed = true;
  }

  void remove(std::uint64_t handle) {
    require(handle < rows_.size(), "copy request handle out of range");
    free_.push_back(handle);
  }

 private:
  std::vector<CopyRequest> rows_;
  std::vector<std::uint64_t> free_;
};

}  // namespace peerpath::host_cpu
