// Options of a NIC.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// Buffers of a receive ring that a frame can count on. Drivers tell of new buffers in batches, so the last of a ring
/// may not be posted before some are used: Linux's gve tells of 32 at a time, in rings of 64 and more.
constexpr std::int64_t sure_buffers(std::int64_t ring_entries) { return ring_entries / 2; }

/// A 200 Gb/s Ethernet NIC with header split, receive-side scaling and flow steering.
struct NicConfig {
  FunctionConfig function{};
  BitRate wire_rate = 200_Gbps;
  int queues = 4;
  int ring_entries = 1024;
  Bytes buffer_size = 4_KiB;
  Bytes header_buffer_size = 256_B;
  bool header_split = true;
  Bytes rx_fifo = 512_KiB;
  Bytes tx_fifo = 256_KiB;
  Duration pipeline_latency = 300ns;
  int packet_rate = 0;
  int prefetch = 32;
  int writeback_batch = 4;
  Bytes mini_completion = 0_B;
  Duration writeback_timeout = 1us;
  Bytes coalesce = 0_B;
  Duration coalesce_wait = 5us;
  Duration interrupt_moderation = 20us;
  int interrupt_frames = 64;
  Bytes mtu = 9000_B;
  std::optional<AtsConfig> ats{};

  static constexpr auto fields() {
    return std::tuple{
        field("function", &NicConfig::function, "PCIe function"),
        field("wire_rate", &NicConfig::wire_rate, "Line rate of the Ethernet port")
            .at_least(1_Gbps)
            .at_most(BitRate{1'600'000'000'000}),
        field("queues", &NicConfig::queues, "Number of receive queues, and of transmit queues")
            .at_least(1)
            .at_most(1024),
        field("ring_entries", &NicConfig::ring_entries, "Entries per ring; a power of two").at_least(16).at_most(32768),
        field("buffer_size", &NicConfig::buffer_size, "Size of a posted receive buffer")
            .at_least(256_B)
            .at_most(64_KiB),
        field("header_buffer_size", &NicConfig::header_buffer_size, "Size of a header buffer")
            .at_least(64_B)
            .at_most(1024_B),
        field("header_split", &NicConfig::header_split,
              "Whether headers go to header buffers and payload to payload buffers"),
        field(
            "rx_fifo", &NicConfig::rx_fifo,
            "On-chip buffer for received frames that wait for PCIe or for a buffer; frames are dropped when it is full")
            .from("assumed"),
        field("tx_fifo", &NicConfig::tx_fifo,
              "On-chip buffer for packets that are read from memory or wait for the wire")
            .at_least(16_KiB)
            .from("assumed"),
        field("pipeline_latency", &NicConfig::pipeline_latency,
              "Time from the last bit of a frame to its first DMA, waiting excluded")
            .at_most(longest_wait)
            .from("assumed"),
        field("packet_rate", &NicConfig::packet_rate,
              "Packets per second that the NIC processes in each direction, of any size. 0: only the line rate limits")
            .at_least(0)
            .at_most(2'000'000'000),
        field("prefetch", &NicConfig::prefetch, "Number of buffer descriptors fetched at a time")
            .at_least(1)
            .at_most(256),
        field("writeback_batch", &NicConfig::writeback_batch, "Number of completions written together")
            .at_least(1)
            .at_most(64),
        field("mini_completion", &NicConfig::mini_completion,
              "Size of a compressed completion; the first of a batch is written in full. 0B: no compression")
            .at_least(0_B)
            .at_most(32_B),
        field("writeback_timeout", &NicConfig::writeback_timeout,
              "Longest time that a completion waits for its batch to fill")
            .at_most(longest_wait),
        field("coalesce", &NicConfig::coalesce,
              "Receive coalescing (LRO, HW-GRO): largest payload of a packet merged from consecutive TCP segments of a "
              "flow. 0B: off")
            .at_least(0_B)
            .at_most(64_KiB),
        field("coalesce_wait", &NicConfig::coalesce_wait,
              "Longest time that the first segment of a packet waits for further ones")
            .at_most(longest_wait)
            .from("assumed"),
        field("interrupt_moderation", &NicConfig::interrupt_moderation,
              "Shortest interval between interrupts of one queue")
            .at_most(longest_wait),
        field("interrupt_frames", &NicConfig::interrupt_frames, "Number of frames that raise the interrupt early")
            .at_least(1),
        field("mtu", &NicConfig::mtu, "Largest IP packet").at_least(576_B).at_most(65535_B),
        field("ats", &NicConfig::ats,
              "Address Translation Services: the NIC translates its own addresses; absent: the IOMMU does")};
  }
};

}  // namespace peerpath::device
