// What a proxy counted and how long its stages took.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace peerpath::gpunet {

struct Metrics {
  std::uint64_t sweeps = 0, busy_sweeps = 0, naps = 0;
  std::uint64_t calls = 0;
  std::uint64_t sends = 0, sent_bytes = 0, sent_entries = 0;
  std::uint64_t receives = 0, received_bytes = 0;
  std::uint64_t stalls_for_entries = 0;  ///< something could be received, but the GPU had not freed an entry
  std::uint64_t stalls_for_ring = 0;     ///< the same of ring space
  std::uint64_t stalls_for_channel = 0;  ///< the channel took less than there was
  std::uint64_t send_ns = 0, receive_ns = 0, call_ns = 0;  ///< within the kernel's or the NIC's calls
  std::array<std::uint64_t, 6>
      batches{};  ///< sends by how many entries they gathered: 1, 2, 4, 8, 16, 32 and less than twice that

  void count_batch(std::uint64_t gathered) {
    if (gathered) ++batches[std::min<std::size_t>(std::bit_width(gathered) - 1, batches.size() - 1)];
  }
};

}  // namespace peerpath::gpunet
