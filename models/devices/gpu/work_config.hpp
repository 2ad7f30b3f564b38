// Options of the work that a GPU does by itself: copies by its engines, and what its kernels access.
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
        field("request", &CopiesConfig::request, "Size of a copy engine's read requests; at most MRRS")
            .at_least(64_B)
            .at_most(4096_B)
            .from("fitted: 256 B on H100 and H200"),
        field("in_flight", &CopiesConfig::in_flight,
              "Bytes of one copy that are requested or sent and not yet complete")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 256 B"),
        field("queued_reads", &CopiesConfig::queued_reads,
              "in_flight of copies to the GPU while kernels access memory as well; used with kernels.one_queue")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 256 B"),
        field("queued_writes", &CopiesConfig::queued_writes,
              "in_flight of copies from the GPU while kernels access memory as well, bytes queued in the GPU included; "
              "used with kernels.one_queue")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: as queued_reads"),
        field("write_rate", &CopiesConfig::write_rate, "Rate at which a copy engine writes; 0bps: the link rate")
            .at_least(BitRate{}),
        field("setup_to", &CopiesConfig::setup_to,
              "Queued copies to the GPU: time from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_from", &CopiesConfig::setup_from,
              "Queued copies from the GPU: time from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_to_busy", &CopiesConfig::setup_to_busy,
              "Value of setup_to while a copy from the GPU is in progress")
            .at_most(longest_wait)
            .from("assumed"),
        field("setup_from_busy", &CopiesConfig::setup_from_busy,
              "Value of setup_from while a copy to the GPU is in progress")
            .at_most(longest_wait)
            .from("assumed"),
        field("inline_limit", &CopiesConfig::inline_limit,
              "Largest copy to the GPU whose data is part of its command; for submission `single`. 0: none")
            .at_least(0_B)
            .at_most(1_MiB),
        field("submit_inline", &CopiesConfig::submit_inline,
              "Overhead of an inline copy with submission `single`: submission to first request, plus last byte to "
              "notification")
            .at_most(longest_wait)
            .from("assumed"),
        field("submit_to", &CopiesConfig::submit_to, "Overhead of a larger copy to the GPU with submission `single`")
            .at_most(longest_wait)
            .from("assumed"),
        field("submit_from", &CopiesConfig::submit_from, "Overhead of a copy from the GPU with submission `single`")
            .at_most(longest_wait)
            .from("assumed"),
        field("hand_over_to", &CopiesConfig::hand_over_to,
              "Staged copies: time from the end of a chunk in host memory, and from the end of the previous chunk, to "
              "the first request of the copy to the GPU")
            .at_least(100ns)
            .at_most(longest_wait)
            .from("assumed"),
        field("hand_over_from", &CopiesConfig::hand_over_from,
              "Staged copies: time from the end of a chunk to the first request of the next copy from the GPU")
            .at_least(100ns)
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_setup", &CopiesConfig::peer_setup, "Time between two copies over the direct GPU connection")
            .at_most(longest_wait)
            .from("assumed"),
        field("peer_rate", &CopiesConfig::peer_rate,
              "Rate of the direct GPU connection, for example NVLink; 0bps: no such connection")
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
              "Time that a read spends inside the GPU, both directions together; fabric and memory are added to it")
            .at_most(longest_wait),
        field("read_queueing", &KernelsConfig::read_queueing,
              "Latency added per outstanding read by queues inside the GPU")
            .at_most(longest_wait),
        field("read_bunching", &KernelsConfig::read_bunching,
              "Latency added by random bunching: multiplied by the square root of (outstanding reads - 1)")
            .at_most(longest_wait),
        field("reads", &KernelsConfig::reads, "Maximum number of outstanding reads; further ones wait inside the GPU")
            .at_least(1)
            .at_most(65536),
        field("store_interval", &KernelsConfig::store_interval, "Time between two stores of a warp")
            .at_most(longest_wait),
        field("one_queue", &KernelsConfig::one_queue,
              "Whether requests of kernels and copies leave the GPU in issue order through one queue; off: kernels and "
              "copies alternate"),
        field("stores", &KernelsConfig::stores, "With one_queue: stores that a warp keeps in flight")
            .at_least(1)
            .at_most(4096)
            .from("assumed"),
        field("read_turn", &KernelsConfig::read_turn,
              "With one_queue: time that a store waits for each read ahead of it; equals the time of a store if both "
              "have turns of the same length")
            .at_most(longest_wait),
        field("atomic_latency", &KernelsConfig::atomic_latency, "Time that an atomic operation spends inside the GPU")
            .at_most(longest_wait),
        field("atomic_queueing", &KernelsConfig::atomic_queueing, "Latency added per outstanding atomic operation")
            .at_most(longest_wait),
        field("atomic_interval", &KernelsConfig::atomic_interval,
              "Shortest interval between two atomic operations of all warps together")
            .at_most(longest_wait),
        field("copy_request", &KernelsConfig::copy_request, "Request size of a copy kernel")
            .at_least(32_B)
            .at_most(128_B)
            .from("a warp of 32 lanes that loads or stores a line"),
        field("copy_in_flight", &KernelsConfig::copy_in_flight, "Bytes that a copy kernel keeps outstanding")
            .at_least(4_KiB)
            .at_most(16_MiB)
            .from("assumed: 768 tags of 128 B"),
        field("launch_to", &KernelsConfig::launch_to,
              "Queued copy kernels towards the GPU: time from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed"),
        field("launch_from", &KernelsConfig::launch_from,
              "Queued copy kernels from the GPU: time from the end of one to the first request of the next")
            .at_most(longest_wait)
            .from("assumed")};
  }
};

}  // namespace peerpath::device
