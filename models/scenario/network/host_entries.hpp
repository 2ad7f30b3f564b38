// Hosts of a network scenario: their NICs, limits of their memory or PCIe, and the links between GPUs of a server.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "transport/roce/dcqcn.hpp"
#include "transport/roce/work.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

enum class SourcePort : std::uint8_t { by_qp, by_pair };
constexpr std::array<EnumName<SourcePort>, 2> enum_names(SourcePort) {
  return {{{"by_qp", SourcePort::by_qp}, {"by_pair", SourcePort::by_pair}}};
}

/// Options of all NICs.
struct Nics {
  int mtu = 4096;
  roce::DcqcnSet dcqcn = roce::DcqcnSet::off;
  roce::Recovery recovery = roce::Recovery::go_back_n;
  SourcePort source_port = SourcePort::by_qp;
  int window = 4096;
  int ack_every = 64;
  int retries = 7;
  Duration timeout = 67109us;
  Bytes buffer{2'000'000}, pause_above{1'000'000}, resume_below{900'000};
  int cnp_priority = 6;
  int translations = 0;
  Bytes translation_page{4096};
  Duration translation_miss = 1us;
  int contexts = 0;
  Duration context_miss = 1us;
  int message_rate = 200'000'000;
  int qp_message_rate = 8'000'000;
  Duration wqe_fetch{};

  static constexpr auto fields() {
    using C = Nics;
    return std::tuple{
        field("mtu", &C::mtu, "Path MTU: payload per packet, in bytes").at_least(256).at_most(4096),
        field("dcqcn", &C::dcqcn, "DCQCN parameter set, or off"),
        field("recovery", &C::recovery, "Packets retransmitted after a loss"),
        field("source_port", &C::source_port,
              "UDP source port, used by ECMP: one per queue pair, as Linux sets it, or one per pair of hosts"),
        field("window", &C::window, "Maximum number of unacknowledged packets per queue pair")
            .at_least(1)
            .at_most(1 << 20),
        field("ack_every", &C::ack_every,
              "Packets per acknowledgement; the last packet of a message is always acknowledged")
            .at_least(1),
        field("retries", &C::retries, "Transport retries before a queue pair fails").at_least(0).at_most(7),
        field("timeout", &C::timeout, "Local ACK timeout").at_least(1us).at_most(10s).from("4.096 us * 2^14"),
        field("buffer", &C::buffer, "Size of the receive buffer").at_least(64_KiB),
        field("pause_above", &C::pause_above, "Receive buffer level above which the NIC pauses its switch port")
            .at_least(0_B),
        field("resume_below", &C::resume_below, "Receive buffer level below which the NIC resumes its switch port")
            .at_least(0_B),
        field("cnp_priority", &C::cnp_priority,
              "Priority of congestion notification packets; data defaults to 3, acknowledgements use 6")
            .at_least(0)
            .at_most(7),
        field("translations", &C::translations,
              "Entries of the NIC's cache for memory translations (MTT); a write to an uncached page first reads its "
              "entry from host memory. 0: unlimited")
            .at_least(0)
            .at_most(1 << 24),
        field("translation_page", &C::translation_page, "Memory covered by one translation entry; a power of two")
            .at_least(4_KiB)
            .at_most(1_GiB),
        field("translation_miss", &C::translation_miss, "Time to fetch a translation entry over PCIe")
            .at_most(1ms)
            .from("assumed"),
        field("contexts", &C::contexts,
              "Entries of the NIC's cache for queue pair contexts; data for an uncached queue pair first reads its "
              "context from host memory. 0: unlimited")
            .at_least(0)
            .at_most(1 << 24),
        field("context_miss", &C::context_miss, "Time to fetch a queue pair context over PCIe")
            .at_most(1ms)
            .from("assumed"),
        field("message_rate", &C::message_rate,
              "Messages per second that a NIC starts, all queue pairs together. 0: unlimited")
            .at_least(0)
            .at_most(2'000'000'000)
            .from("data sheet of ConnectX-5"),
        field(
            "qp_message_rate", &C::qp_message_rate,
            "Messages per second that one queue pair starts: software posts them and the NIC processes them one after "
            "another. 0: unlimited")
            .at_least(0)
            .at_most(2'000'000'000)
            .from("ib_send_bw on a ConnectX-5, 64 B to 1 KiB (perftest pull request 98)"),
        field("wqe_fetch", &C::wqe_fetch,
              "Read of a posted work request from host memory over PCIe, before its message starts. 0ns: the request "
              "is written to the NIC together with the doorbell (BlueFlame, inlined WQEs)")
            .at_most(1ms)};
  }
};

/// Hosts whose memory takes in less than the wire brings: a GPU behind the wrong PCIe switch, MPS 128.
struct SlowHost {
  std::vector<std::string> hosts{};
  BitRate rate = 100_Gbps;

  static constexpr auto fields() {
    return std::tuple{
        field("hosts", &SlowHost::hosts, "Host names; h0..h7 names eight"),
        field("rate", &SlowHost::rate, "Rate at which the hosts' memory accepts received packets, headers included")
            .at_least(1_Gbps)};
  }
};

/// How a host's PCIe is simulated.
enum class Level : std::uint8_t {
  node,  ///< as rates and latencies fitted to it
  tlp,   ///< TLP by TLP, beside the network
};
constexpr std::array<EnumName<Level>, 2> enum_names(Level) { return {{{"node", Level::node}, {"tlp", Level::tlp}}}; }

/// Hosts of a kind, with the scenario of the PCIe of one of them.
struct NodeEntry {
  std::vector<std::string> hosts{};
  std::string scenario;
  Level level = Level::node;
  std::vector<std::string> set{};

  static constexpr auto fields() {
    using C = NodeEntry;
    return std::tuple{
        field("hosts", &C::hosts, "Host names; h0..h7 names eight"),
        field("scenario", &C::scenario,
              "Scenario of the PCIe of one such host: a name, or a file relative to this one. Its one `receive` entry, "
              "and a `transmit` entry if payload is sent from another place, select the NIC and the memory; the "
              "network supplies and requests their payload. Other traffic of that scenario runs beside it"),
        field("level", &C::level,
              "node: the host is reduced to rates and latencies, fitted to its PCIe under load. tlp: the PCIe of each "
              "host is simulated TLP by TLP beside the network"),
        field("set", &C::set, "Changes to that scenario, as with --set: links.gpu0.from=sw1")};
  }
};

/// Links between the GPUs of a server.
struct Servers {
  int gpus = 1;
  BitRate nvlink{2'966'400'000'000};
  Duration nvlink_latency = 600ns;

  static constexpr auto fields() {
    using C = Servers;
    return std::tuple{
        field("gpus", &C::gpus,
              "GPUs per server, each a host of the network with its own NIC; h0 to h7 form the first of eight. GPUs of "
              "a server communicate over NVLink. 1: always over the network")
            .at_least(1)
            .at_most(256),
        field("nvlink", &C::nvlink, "Payload rate of a GPU's NVLink in each direction; NVLink 4 signals at 450 GB/s")
            .at_least(1_Gbps)
            .from("NCCL: 18 links of 20.6 GB/s"),
        field("nvlink_latency", &C::nvlink_latency, "One-way latency of an NVLink message")
            .at_most(1ms)
            .from("NCCL's tuning: LL over NVLink")};
  }
};

}  // namespace peerpath::network_scenario
