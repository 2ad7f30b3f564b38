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
  std::uint64_t direct_sent_bytes = 0, direct_received_bytes = 0;  ///< of them by a NIC from and into GPU memory
  std::uint64_t stalls_for_entries = 0;  ///< something could be received, but the GPU had not freed an entry
  std::uint64_t stalls_for_ring = 0;     ///< the same of ring space
  std::uint64_t stalls_for_channel = 0;  ///< the channel took less than there was
  std::uint64_t send_ns = 0, receive_ns = 0, call_ns = 0;  ///< within the kernel's or the NIC's calls
  std::uint64_t empty_receives = 0, empty_receive_ns = 0;  ///< calls that found nothing
  /// From the look before, which did not find it, to the one that found what the GPU had stored: at most so long it lay
  /// there.
  std::uint64_t unseen_ns = 0;
  std::uint64_t gather_ns = 0;    ///< from there to the call of the channel
  std::uint64_t announce_ns = 0;  ///< from the end of a receive to the entry that says so
  /// From such an entry to the first look that found something of the GPU on the same socket: it saw the entry, took
  /// it, and stored.
  std::uint64_t turns = 0, turn_ns = 0;
  std::array<std::uint64_t, 6>
      batches{};  ///< sends by how many entries they gathered: 1, 2, 4, 8, 16, 32 and less than twice that

  void add(const Metrics& other);
  void count_batch(std::uint64_t gathered) {
    if (gathered) ++batches[std::min<std::size_t>(std::bit_width(gathered) - 1, batches.size() - 1)];
  }
};

}  // namespace peerpath::gpunet
