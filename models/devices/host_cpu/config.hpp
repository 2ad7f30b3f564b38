// Options of the cores of a host.
#pragma once

#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/function_config.hpp"
#include "peerpath/device/host_config.hpp"

namespace peerpath::device {

/// The cores that run the driver and the protocol, at the root complex named by `at`.
struct HostCpuConfig {
  std::string at;
  int cores = 4;
  Duration interrupt_cost = 1500ns;
  Duration wakeup_cost = 1us;
  Duration packet_cost = 282ns;
  Duration byte_cost_per_kib = Duration{0};
  BitRate copy_rate = BitRate{80'000'000'000};
  Duration doorbell_cost = 100ns;

  static constexpr auto fields() {
    return std::tuple{
        field("at", &HostCpuConfig::at, "Root complex that it belongs to"),
        field("cores", &HostCpuConfig::cores,
              "Number of cores that serve receive and transmit queues; queues are assigned round robin")
            .at_least(1)
            .at_most(256),
        field("interrupt_cost", &HostCpuConfig::interrupt_cost, "Time from the interrupt to the driver's poll loop")
            .at_most(longest_wait)
            .from("assumed"),
        field("wakeup_cost", &HostCpuConfig::wakeup_cost, "Time to wake the thread that waits for data")
            .at_most(longest_wait)
            .from("assumed"),
        field("packet_cost", &HostCpuConfig::packet_cost, "Driver and protocol time per packet")
            .at_most(longest_wait)
            .from("116.2 Gb/s of 4 KiB packets in one TCP flow on one core without copy: io_uring zcrx cover letter, "
                  "EPYC 9454"),
        field("byte_cost_per_kib", &HostCpuConfig::byte_cost_per_kib,
              "Protocol time per KiB of payload that the CPU touches without copying")
            .at_most(longest_step)
            .from("assumed"),
        field("copy_rate", &HostCpuConfig::copy_rate, "Rate at which one core copies between two buffers in DRAM")
            .at_least(least_rate)
            .from("assumed"),
        field("doorbell_cost", &HostCpuConfig::doorbell_cost, "CPU time of an MMIO write")
            .at_most(longest_wait)
            .from("assumed")};
  }
};

}  // namespace peerpath::device
