// What a scenario can set on the work that a GPU does by itself: copies by its engines, and what its kernels access.
#pragma once

#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

using namespace literals;
using namespace std::chrono_literals;

/// Copies by the copy engines. Each setup passes before the first request; what the fabric adds comes besides.
struct CopiesConfig {
  Bytes request = 256_B;
  Bytes in_flight = 192_KiB;
  Bytes queued_reads = 192_KiB, queued_writes = 192_KiB;
  BitRate write_rate = BitRate{};
  Duration setup_to = 1500ns, setup_from = 1500ns;
  Duration setup_to_busy = 1500ns, setup_from_busy = 1500ns;
  Bytes inline_limit = 0_B;
  Duration submit_inline = 5us, submit_to = 5us, submit_from = 5us;
  Duration hand_over_to = 4us, hand_over_from = 4us;
  Duration peer_setup = 2us;
  BitRate peer_rate = BitRate{};

  static constexpr auto fields() {
    return std::tuple{
        field("request", &CopiesConfig::request, "Size of a copy engine's read requests, if MRRS is not less")
            .at_least(64_B)
            .at_most(4096_B)
            .from("fitted: 256 B on H100 and H200"),
        field("in_flight", &CopiesConfig::in_flight, "Bytes that one copy has asked for or sent at a time")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 256 B"),
        field("queued_reads", &CopiesConfig::queued_reads,
              "in_flight of copies to the GPU where kernels ask beside them and all leaves by one queue")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 256 B"),
        field("queued_writes", &CopiesConfig::queued_writes,
              "The same of copies from the GPU: what is sent and not yet there, or queued in the GPU")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: as queued_reads"),
        field("write_rate", &CopiesConfig::write_rate, "Rate at which an engine writes; 0bps: what the link carries")
            .at_least(BitRate{}),
        field("setup_to", &CopiesConfig::setup_to,
              "Copies to the GPU that are queued: from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_from", &CopiesConfig::setup_from, "The same of copies from the GPU")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_to_busy", &CopiesConfig::setup_to_busy, "setup_to while a copy from the GPU is under way")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_from_busy", &CopiesConfig::setup_from_busy, "setup_from while a copy to the GPU is under way")
            .at_most(longest_wait)
            .from("assumed"),
        field("inline_limit", &CopiesConfig::inline_limit,
              "Largest copy to the GPU whose data is sent with its command (submission: single)")
            .at_most(1_MiB),
        field("submit_inline", &CopiesConfig::submit_inline,
              "One such copy, submitted when the one before is seen to be over: from there to its first request, and "
              "from its last byte to the one who waits, together")
            .at_most(longest_wait)
            .from("assumed"),
        field("submit_to", &CopiesConfig::submit_to, "The same of a larger copy to the GPU")
            .at_most(longest_wait)
            .from("assumed"),
        field("submit_from", &CopiesConfig::submit_from, "The same of a copy from the GPU")
            .at_most(longest_wait)
            .from("assumed"),
        field("hand_over_to", &CopiesConfig::hand_over_to,
              "Staged copies: from a chunk's end in host memory, and from the end of the chunk before, to the first "
              "request of the copy to the GPU")
            .at_least(100ns)
            .at_most(longest_wait)
            .from("assumed"),
        field("hand_over_from", &CopiesConfig::hand_over_from,
              "Staged copies: from the end of the chunk before to the first request of the copy from the GPU")
            .at_least(100ns)
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_setup", &CopiesConfig::peer_setup, "Copies to another GPU besides PCIe: from one to the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_rate", &CopiesConfig::peer_rate, "Rate of such copies: of NVLink or the like; 0bps: there is none")
            .at_least(BitRate{})};
  }
};

/// What kernels do to host memory.
struct KernelsConfig {
  Duration read_latency{};
  Duration read_queueing{}, read_bunching{};
  int reads = 65536;
  Duration store_interval{};
  bool one_queue = false;
  int stores = 1;
  Duration read_turn{};
  Duration atomic_latency{}, atomic_queueing{}, atomic_interval{};
  Bytes copy_request = 128_B;
  Bytes copy_in_flight = 96_KiB;
  Duration launch_to = 2us, launch_from = 2us;

  static constexpr auto fields() {
    return std::tuple{
        field("read_latency", &KernelsConfig::read_latency,
              "What a read takes inside the GPU, both ways together; what the fabric and memory take comes besides")
            .at_most(longest_wait),
        field("read_queueing", &KernelsConfig::read_queueing,
              "Added to it by each read that is outstanding: queues inside the GPU")
            .at_most(longest_wait),
        field("read_bunching", &KernelsConfig::read_bunching,
              "Added to it, times the square root of how many are outstanding less 1: those that meet by chance")
            .at_most(longest_wait),
        field("reads", &KernelsConfig::reads, "Reads outstanding at a time; further ones wait inside the GPU")
            .at_least(1)
            .at_most(65536),
        field("store_interval", &KernelsConfig::store_interval, "From one store of a warp to its next")
            .at_most(longest_wait),
        field("one_queue", &KernelsConfig::one_queue,
              "What kernels ask for leaves the GPU in the order in which it was asked for, and with it what copies "
              "beside "
              "them ask for; off: they take turns"),
        field("stores", &KernelsConfig::stores, "Stores that a warp has on their way at a time, with one_queue")
            .at_least(1)
            .at_most(4096)
            .from("assumed"),
        field("read_turn", &KernelsConfig::read_turn,
              "How much longer a store waits for each read before it, with one_queue: the time of a store where both "
              "take turns of the same length")
            .at_most(longest_wait),
        field("atomic_latency", &KernelsConfig::atomic_latency, "What an atomic operation takes inside the GPU")
            .at_most(longest_wait),
        field("atomic_queueing", &KernelsConfig::atomic_queueing, "Added to it by each one outstanding")
            .at_most(longest_wait),
        field("atomic_interval", &KernelsConfig::atomic_interval, "From one atomic operation to the next, of all warps")
            .at_most(longest_wait),
        field("copy_request", &KernelsConfig::copy_request, "Size of the requests of a kernel that copies")
            .at_least(32_B)
            .at_most(128_B)
            .from("a warp of 32 lanes that loads or stores a line"),
        field("copy_in_flight", &KernelsConfig::copy_in_flight, "Bytes that such a kernel has outstanding")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 128 B"),
        field("launch_to", &KernelsConfig::launch_to,
              "Kernels that copy to the GPU, queued: from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("launch_from", &KernelsConfig::launch_from, "The same of kernels that copy from the GPU")
            .at_most(longest_wait)
            .from("assumed")};
  }
};

}  // namespace peerpath::device
