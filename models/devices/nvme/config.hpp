// Options of an NVMe drive.
#pragma once

#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// An NVMe drive: a controller, queue pairs in host memory, and a medium. The model card has the sources.
struct NvmeConfig {
  FunctionConfig function{};
  std::string queues_in{};
  int queue_entries = 1024;
  int queue_depth = 32;
  Duration submit_time{};
  int fetch_batch = 8;
  Bytes block = 512_B;
  Bytes max_transfer = 128_KiB;
  Bytes buffer = Bytes{4 << 20};
  Duration read_latency = 85us;
  Duration write_latency = 20us;
  BitRate read_rate{25'600'000'000};
  BitRate write_rate{8'000'000'000};
  int read_iops = 0;
  int write_iops = 0;
  int interrupt_threshold = 1;
  Duration interrupt_time = 100us;

  static constexpr auto fields() {
    return std::tuple{
        field("function", &NvmeConfig::function, "PCIe function"),
        field("queues_in", &NvmeConfig::queues_in, "Host memory that holds its queues and PRP lists"),
        field("queue_entries", &NvmeConfig::queue_entries,
              "Entries per submission and completion queue, one of which stays empty; each traffic entry has one pair")
            .at_least(2)
            .at_most(65536),
        field("queue_depth", &NvmeConfig::queue_depth, "Maximum number of commands in flight per traffic entry")
            .at_least(1)
            .at_most(65535),
        field("submit_time", &NvmeConfig::submit_time,
              "CPU time per command; limits how fast a traffic entry submits. 0ns: no limit")
            .at_most(longest_wait),
        field("fetch_batch", &NvmeConfig::fetch_batch, "Commands of 64 B fetched by one read")
            .at_least(1)
            .at_most(64)
            .from("assumed"),
        field("block", &NvmeConfig::block, "Logical block size; transfers are whole blocks; a power of two")
            .at_least(512_B)
            .at_most(4_KiB),
        field("max_transfer", &NvmeConfig::max_transfer, "MDTS: largest data size of one command")
            .at_least(4_KiB)
            .at_most(Bytes{1 << 20})
            .from("128 KiB: MDTS of 5 with pages of 4 KiB"),
        field("buffer", &NvmeConfig::buffer,
              "Controller buffer for data of NVMe Reads; the medium stalls when it is full")
            .at_least(4_KiB)
            .from("assumed"),
        field("read_latency", &NvmeConfig::read_latency, "Latency of the medium for an NVMe Read, to its first byte")
            .at_most(longest_wait)
            .from("Intel SSD DC P4500/P4600: 85 us, random"),
        field("write_latency", &NvmeConfig::write_latency,
              "Latency of the medium for an NVMe Write, in addition to its bytes at write_rate")
            .at_most(longest_wait)
            .from("Intel SSD DC P4500/P4600: 20 us, random"),
        field("read_rate", &NvmeConfig::read_rate, "Sustained rate of the medium for NVMe Reads")
            .at_least(least_rate)
            .from("Intel SSD DC P4600: 3.2 GB/s"),
        field("write_rate", &NvmeConfig::write_rate, "Sustained rate of the medium for NVMe Writes")
            .at_least(least_rate)
            .from("assumed"),
        field("read_iops", &NvmeConfig::read_iops, "Maximum NVMe Reads per second; 0: limited by read_rate only")
            .at_least(0)
            .at_most(100'000'000),
        field("write_iops", &NvmeConfig::write_iops, "Maximum NVMe Writes per second; 0: limited by write_rate only")
            .at_least(0)
            .at_most(100'000'000),
        field("interrupt_threshold", &NvmeConfig::interrupt_threshold,
              "Interrupt Coalescing: completions per interrupt; 1: one each; 0: no interrupts, software polls")
            .at_least(0)
            .at_most(256),
        field("interrupt_time", &NvmeConfig::interrupt_time,
              "Interrupt Coalescing: longest time that a completion waits for its interrupt")
            .at_most(longest_wait)};
  }
};

}  // namespace peerpath::device
