// What a scenario can set on an NVMe drive.
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
        field("queues_in", &NvmeConfig::queues_in, "The host_memory that holds its queues and PRP lists"),
        field("queue_entries", &NvmeConfig::queue_entries,
              "Entries of a submission queue and of its completion queue, of which all but one are used; each traffic "
              "entry has a pair of them")
            .at_least(2)
            .at_most(65536),
        field("queue_depth", &NvmeConfig::queue_depth, "Commands that each traffic entry keeps in flight at most")
            .at_least(1)
            .at_most(65535),
        field("submit_time", &NvmeConfig::submit_time,
              "Software: what the core of a traffic entry takes for a command, from its submission to the next one's; "
              "0ns: no time")
            .at_most(longest_wait),
        field("fetch_batch", &NvmeConfig::fetch_batch, "Commands of 64 B that the controller fetches by one read")
            .at_least(1)
            .at_most(64)
            .from("assumed"),
        field("block", &NvmeConfig::block, "Logical block: transfers are whole ones; a power of two")
            .at_least(512_B)
            .at_most(4_KiB),
        field("max_transfer", &NvmeConfig::max_transfer, "MDTS: most data of one command")
            .at_least(4_KiB)
            .at_most(Bytes{1 << 20})
            .from("128 KiB: MDTS of 5 with pages of 4 KiB"),
        field("buffer", &NvmeConfig::buffer,
              "Data of NVMe Reads from their turn at the medium to their arrival; the medium waits for room")
            .at_least(4_KiB)
            .from("assumed"),
        field("read_latency", &NvmeConfig::read_latency, "Medium, NVMe Read: its turn to its first byte")
            .at_most(longest_wait)
            .from("Intel SSD DC P4500/P4600: 85 us, random"),
        field("write_latency", &NvmeConfig::write_latency,
              "Medium, NVMe Write: its turn to being kept, beside its bytes at write_rate")
            .at_most(longest_wait)
            .from("Intel SSD DC P4500/P4600: 20 us, random"),
        field("read_rate", &NvmeConfig::read_rate, "Medium: sustained NVMe Reads")
            .at_least(least_rate)
            .from("Intel SSD DC P4600: 3.2 GB/s"),
        field("write_rate", &NvmeConfig::write_rate, "Medium: sustained NVMe Writes")
            .at_least(least_rate)
            .from("assumed"),
        field("read_iops", &NvmeConfig::read_iops, "Most NVMe Reads a second; 0: read_rate alone limits them")
            .at_least(0)
            .at_most(100'000'000),
        field("write_iops", &NvmeConfig::write_iops, "Most NVMe Writes a second; 0: write_rate alone limits them")
            .at_least(0)
            .at_most(100'000'000),
        field(
            "interrupt_threshold", &NvmeConfig::interrupt_threshold,
            "Interrupt Coalescing: completions that an interrupt waits for; 1: each has its own, 0: none, as software "
            "polls")
            .at_least(0)
            .at_most(256),
        field("interrupt_time", &NvmeConfig::interrupt_time,
              "Interrupt Coalescing: longest that a completion waits for its interrupt")
            .at_most(longest_wait)};
  }
};

}  // namespace peerpath::device
