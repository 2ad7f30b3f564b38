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
        field("tso", &C::tso, "Most data that the stack hands to the NIC as one piece to be cut; 0B: single segments")
            .at_least(0_B)
            .at_most(512_KiB),
        field("gro", &C::gro, "Most data of packets that are merged before TCP sees them; 0B: none are")
            .at_least(0_B)
            .at_most(512_KiB),
        field("ring", &C::ring, "Packets that the NIC keeps until a core takes them; more are dropped")
            .at_least(1)
            .at_most(1 << 20),
        field("interrupt_delay", &C::interrupt_delay, "From a packet's arrival to a core that was idle")
            .at_most(milliseconds{10}),
        field("packet_cost", &C::packet_cost, "Of a core, for each packet received")
            .at_most(milliseconds{1})
            .from("models/devices/host_cpu"),
        field("segment_cost", &C::segment_cost, "Of a core, for each piece that TCP takes in or hands out")
            .at_most(milliseconds{1})
            .from("assumed"),
        field("syscall_cost", &C::syscall_cost, "Of the application's core: a read, a return of memory, a write")
            .at_most(milliseconds{1})
            .from("assumed"),
        field("one_core", &C::one_core,
              "The kernel and all applications of a host share one core; else each has its own"),
        field(
            "nic_buffer", &C::nic_buffer,
            "Of a host whose memory takes its time (`nodes`, `slow_hosts`): what its NIC holds until memory has taken "
            "it; more is dropped")
            .at_least(64_KiB)
            .at_most(1_GiB),
        field("pause_above", &C::pause_above,
              "Filled so far, such a NIC pauses its switch, which should be lossless in priority 0, until a tenth of "
              "it is out; 0B: it never does")
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
        field("read_size", &C::read_size, "Most that one read takes").at_least(1_B).at_most(1_GiB),
        field("rate", &C::rate, "At which it works through what it has read; 0bps: at once").at_least(BitRate{}),
        field("return_every", &C::return_every,
              "It gives memory back (devmem tokens, entries of a refill ring) when it has read so much; 0B: after each "
              "read")
            .at_least(0_B)
            .at_most(1_GiB),
        field("memory", &C::memory,
              "Bound to the connection's receive queue; what finds none is dropped by the NIC. Absent: the receive "
              "buffer")
            .at_least(4_KiB)
            .at_most(1_GiB)};
  }
};

}  // namespace peerpath::tcp
