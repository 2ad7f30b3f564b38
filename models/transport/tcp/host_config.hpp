// What a host with TCP costs, and what its applications do with data.
#pragma once

#include <optional>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::tcp {

using namespace literals;

/// NIC and cores of a host. Costs are those of the model of a host's CPU where it has them (models/devices/host_cpu).
struct HostConfig {
  Bytes tso{65536}, gro{65536};
  int ring = 1024;
  Duration interrupt_delay{};
  Duration packet_cost = std::chrono::nanoseconds{80};
  Duration segment_cost = std::chrono::nanoseconds{500};
  Duration syscall_cost = std::chrono::nanoseconds{500};
  bool one_core = false;
  Bytes nic_buffer{2'000'000}, pause_above{};

  static constexpr auto fields() {
    using C = HostConfig;
    using std::chrono::milliseconds;
    return std::tuple{
        field("tso", &C::tso,
              "Largest block that the stack hands to the NIC for segmentation (TSO); 0B: single segments")
            .at_least(0_B)
            .at_most(512_KiB),
        field("gro", &C::gro, "Largest block that received packets are merged into (GRO); 0B: off")
            .at_least(0_B)
            .at_most(512_KiB),
        field("ring", &C::ring, "Receive ring size in packets; packets are dropped when it is full")
            .at_least(1)
            .at_most(1 << 20),
        field("interrupt_delay", &C::interrupt_delay, "Time from a packet's arrival until an idle core processes it")
            .at_most(milliseconds{10}),
        field("packet_cost", &C::packet_cost, "CPU time per received packet")
            .at_most(milliseconds{1})
            .from("models/devices/host_cpu"),
        field("segment_cost", &C::segment_cost, "CPU time per block that TCP receives or sends")
            .at_most(milliseconds{1})
            .from("assumed"),
        field("syscall_cost", &C::syscall_cost, "CPU time of the application per read, write or return of memory")
            .at_most(milliseconds{1})
            .from("assumed"),
        field("one_core", &C::one_core,
              "Whether the kernel and all applications of a host share one core; otherwise each has its own"),
        field(
            "nic_buffer", &C::nic_buffer,
            "NIC buffer of hosts with limited memory rate (`nodes`, `slow_hosts`); packets are dropped when it is full")
            .at_least(64_KiB)
            .at_most(1_GiB),
        field("pause_above", &C::pause_above,
              "Level of nic_buffer above which the NIC pauses its switch port, until it has drained by a tenth; "
              "priority 0 should be lossless at the switch. 0B: never")
            .at_least(0_B)
            .at_most(1_GiB)};
  }
};

/// An application that receives.
struct Consumer {
  Bytes read_size = 1_MiB;
  BitRate rate{};
  Bytes return_every{};
  std::optional<Bytes> memory{};

  static constexpr auto fields() {
    using C = Consumer;
    return std::tuple{
        field("read_size", &C::read_size, "Largest amount of data per read").at_least(1_B).at_most(1_GiB),
        field("rate", &C::rate, "Rate at which the application processes data; 0bps: immediately").at_least(BitRate{}),
        field("return_every", &C::return_every,
              "Bytes read before memory is returned (devmem tokens, refill ring entries); 0B: after every read")
            .at_least(0_B)
            .at_most(1_GiB),
        field("memory", &C::memory,
              "Memory bound to the receive queue of the connection; packets without memory are dropped by the NIC. "
              "Absent: as receive_buffer")
            .at_least(4_KiB)
            .at_most(1_GiB)};
  }
};

}  // namespace peerpath::tcp
