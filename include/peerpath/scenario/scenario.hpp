// A scenario as typed values: the JSON file with presets, `extends` and `--set` applied, checked as a whole.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "peerpath/device/catalogue.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "peerpath/pcie/tlp.hpp"
#include "peerpath/scenario/emulator.hpp"
#include "peerpath/scenario/event.hpp"
#include "peerpath/scenario/sweep.hpp"
#include "peerpath/scenario/traffic.hpp"

namespace peerpath::scenario {

using namespace literals;
using namespace std::chrono_literals;

using DeviceConfig = device::AnyConfig;

/// One entry of `devices`; the JSON key is its name, `kind` selects the alternative of the catalogue.
struct Device {
  std::string name;
  DeviceConfig config;
};

/// Credits advertised by the receivers of a link; 0 means infinite.
struct CreditConfig {
  int posted_header = 128, posted_data = 2048;
  int non_posted_header = 128, non_posted_data = 128;
  int completion_header = 0, completion_data = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("posted_header", &CreditConfig::posted_header, "Header credits for posted TLPs; 0: infinite").at_least(0),
        field("posted_data", &CreditConfig::posted_data, "Data credits for posted TLPs, 16 B each; 0: infinite")
            .at_least(0),
        field("non_posted_header", &CreditConfig::non_posted_header, "Header credits for non-posted TLPs; 0: infinite")
            .at_least(0),
        field("non_posted_data", &CreditConfig::non_posted_data,
              "Data credits for non-posted TLPs, 16 B each; 0: infinite")
            .at_least(0),
        field("completion_header", &CreditConfig::completion_header, "Header credits for completions; 0: infinite")
            .at_least(0),
        field("completion_data", &CreditConfig::completion_data, "Data credits for completions, 16 B each; 0: infinite")
            .at_least(0)};
  }
};

/// The second virtual channel of a link (PCIe Base Spec 2.5).
struct VirtualChannelConfig {
  std::vector<int> traffic_classes{1};
  CreditConfig credits{};
  int vc0_turns = 0, vc1_turns = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("traffic_classes", &VirtualChannelConfig::traffic_classes,
              "Traffic classes, 1 to 7, mapped to VC 1 of this link; all others use VC 0"),
        field("credits", &VirtualChannelConfig::credits, "Credits of VC 1, advertised at both ends"),
        field("vc0_turns", &VirtualChannelConfig::vc0_turns,
              "Consecutive TLPs of VC 0 in weighted VC arbitration; 0 for both channels: VC 1 has strict priority")
            .at_least(0)
            .at_most(256),
        field("vc1_turns", &VirtualChannelConfig::vc1_turns,
              "Consecutive TLPs of VC 1 in weighted VC arbitration; 0 for both channels: VC 1 has strict priority")
            .at_least(0)
            .at_most(256)};
  }
};

/// A PCIe link. `from` is the end nearer to the root complex, `to` the farther one; an end is a device, or
/// "device.port" for a port of a switch or root complex: one link each, in the order of the numbers they end in.
struct Link {
  std::string from, to;
  int generation = 5;
  int width = 16;
  int host_bridge = 0;
  pcie::DllpAccounting dllp = pcie::DllpAccounting::counted;
  double link_share = 1.0;
  Duration propagation = 10ns;
  Duration update_fc = 60ns;
  std::optional<Duration> ack_interval{}, update_fc_interval{};
  Bytes tlp_gap{};
  CreditConfig credits{};
  std::optional<VirtualChannelConfig> vc1;
  double bit_error_rate = 0;
  Duration replay_delay = 150ns;

  static constexpr auto fields() {
    return std::tuple{
        field("from", &Link::from, "Upstream end: device, or device.port"),
        field("to", &Link::to, "Downstream end: device, or device.port"),
        field("generation", &Link::generation, "Highest PCIe generation that the link trains to, 1 to 6")
            .at_least(1)
            .at_most(6),
        field("width", &Link::width, "Largest number of lanes that the link trains to: 1, 2, 4, 8, 12 or 16")
            .at_least(1)
            .at_most(16),
        field("host_bridge", &Link::host_bridge,
              "Number of the host bridge (root bus) that this root port belongs to; 0 unless the host has several. "
              "Linux p2pdma compares it (`peerpath route`)")
            .at_least(0)
            .at_most(255),
        field("dllp", &Link::dllp, "Accounting of link-layer packets (DLLPs)"),
        field("link_share", &Link::link_share, "Derating factor of the link rate; 1: none")
            .at_least(0.01)
            .at_most(1.0)
            .from("fitted where a preset says so"),
        field("propagation", &Link::propagation, "One-way delay of wire and PHY").at_most(device::longest_wait),
        field("update_fc", &Link::update_fc,
              "Time from a freed receive buffer to the credit being usable by the sender")
            .at_most(device::longest_wait),
        field("ack_interval", &Link::ack_interval,
              "Shortest interval between ACK DLLPs; absent: the limit in the PCIe specification")
            .at_least(Duration{1})
            .at_most(device::longest_wait),
        field("update_fc_interval", &Link::update_fc_interval,
              "Shortest interval between UpdateFC DLLPs of all classes together; absent: the limit in the PCIe "
              "specification")
            .at_least(Duration{1})
            .at_most(device::longest_wait),
        field("tlp_gap", &Link::tlp_gap, "Idle line time, in bytes, after each TLP sent by the downstream end")
            .at_least(0_B)
            .at_most(256_B)
            .from("0 unless fitted"),
        field("credits", &Link::credits, "Credits advertised at both ends; with two virtual channels, those of VC 0"),
        field("vc1", &Link::vc1, "Second virtual channel with its own buffers; absent: all TLPs use VC 0"),
        field("bit_error_rate", &Link::bit_error_rate,
              "Probability of a bit error in a TLP, for example 1e-8; each corrupt TLP is replayed")
            .at_least(0)
            .at_most(1e-4),
        field("replay_delay", &Link::replay_delay,
              "Time from the end of a corrupt TLP to the start of its replay: NAK and round trip")
            .at_most(device::longest_wait)
            .from("assumed")};
  }
};

/// How long the name of a device, or of the link between two, is at the start of a link's end or of a metric: it goes
/// up to the first dot, but the dot behind a host's number belongs to it. 6 of "switch.port2", 9 of "n[1].gpu0.copies",
/// 17 of "n[1].gpu0-n[1].sw.up.tlps".
constexpr std::size_t device_length(std::string_view text) {
  auto dot = text.find('.');
  while (dot != text.npos && dot > 0 && text[dot - 1] == ']') dot = text.find('.', dot + 1);
  return std::min(dot, text.size());
}

/// The device that an end of a link belongs to: "switch" of "switch.port2", "n[1].switch" of "n[1].switch.port2".
inline std::string device_of(const std::string& end) { return end.substr(0, device_length(end)); }

/// The host that a device belongs to: "n[1]" of "n[1].gpu0", "" of the host of a scenario without `hosts`.
inline std::string host_of(const std::string& device) {
  const auto end = device.find(']');
  return end == device.npos ? std::string{} : device.substr(0, end + 1);
}

/// The link between two sockets of a host, which joins their root complexes: UPI, xGMI.
struct InterSocket {
  std::string from, to;
  int links = 1;
  BitRate rate{};
  Duration latency = 70ns;
  bool forwards_peers = true;
  std::optional<BitRate> peer_write_rate{}, peer_read_rate{};

  static constexpr auto fields() {
    return std::tuple{
        field("from", &InterSocket::from, "Root complex of one socket"),
        field("to", &InterSocket::to, "Root complex of the other socket"),
        field("links", &InterSocket::links, "Number of parallel links between the two sockets").at_least(1).at_most(16),
        field("rate", &InterSocket::rate,
              "Bandwidth of one link in each direction for TLP headers and data, net of the link's own coding")
            .at_least(device::least_rate)
            .at_most(BitRate{4'000'000'000'000}),
        field("latency", &InterSocket::latency, "One-way latency, in addition to the latencies of both root complexes")
            .at_least(1ns)
            .at_most(device::longest_wait)
            .from("assumed: half the extra latency of remote memory, 140 ns"),
        field("forwards_peers", &InterSocket::forwards_peers,
              "Whether peer requests cross between the sockets; if not, they end as Unsupported Request")
            .from("assumed: as for root_complex"),
        field("peer_write_rate", &InterSocket::peer_write_rate,
              "Maximum rate of peer writes per direction; absent: the link rate")
            .at_least(device::least_rate),
        field("peer_read_rate", &InterSocket::peer_read_rate,
              "Maximum data rate of peer reads per direction; absent: the link rate")
            .at_least(device::least_rate)};
  }
};

/// An Ethernet cable between the ports of two NICs.
struct Cable {
  std::string from, to;
  std::optional<BitRate> rate{};
  Duration delay = 10ns;

  static constexpr auto fields() {
    return std::tuple{
        field("from", &Cable::from, "NIC at one end"), field("to", &Cable::to, "NIC at the other end"),
        field("rate", &Cable::rate, "Negotiated rate of both ports; absent: the lower of their wire rates")
            .at_least(1_Gbps),
        field("delay", &Cable::delay, "One-way delay: 5 ns per metre plus both PHYs")
            .at_most(device::longest_wait)
            .from("assumed: two metres")};
  }
};

/// An entry of `hosts`, beside `devices`, `links`, `inter_socket` and `arbitration` of one machine. Machine 1 of "n" is
/// "n[1]", and its device "gpu0" is "n[1].gpu0"; reading a scenario makes devices and links of them.
struct HostConfig {
  int count = 1;

  static constexpr auto fields() {
    return std::tuple{field("count", &HostConfig::count, "Number of identical machines, numbered from 0: n[0], n[1]")
                          .at_least(1)
                          .at_most(256)};
  }
};

/// Weighted port arbitration at one egress port of a switch or root complex.
struct Weight {
  std::string at;
  std::string from, to;
  int turns = 1;

  static constexpr auto fields() {
    return std::tuple{
        field("at", &Weight::at, "Switch or root complex that arbitrates"),
        field("from", &Weight::from, "Neighbour at whose port the TLPs enter"),
        field("to", &Weight::to, "Neighbour at whose port the TLPs leave"),
        field(
            "turns", &Weight::turns,
            "Consecutive TLPs of one class that this port may send; ports without an entry have 1 (plain round robin)")
            .at_least(1)
            .at_most(256)};
  }
};

/// How long to simulate. `warmup` and `measure` are found unless given (window.hpp).
struct Run {
  /// Both parts and the longest wait at their end together stay below the range of 64 bits of femtoseconds, 9223 s.
  static constexpr Duration longest_part = std::chrono::seconds{4500};

  std::optional<Duration> warmup{}, measure{};
  double precision = 1;
  Duration at_most = 20ms;
  int seed = 1;
  Duration quantum = 10us;
  Duration watchdog = 200us;
  int stage_interval = 17;

  static constexpr auto fields() {
    return std::tuple{
        field("warmup", &Run::warmup,
              "Simulated time before measurement starts. Absent: until goodput and median latency of all traffic are "
              "steady; 20us if nothing can become steady (events, captures); 0ns for traffic with `bytes`")
            .at_most(longest_part),
        field("measure", &Run::measure,
              "Simulated time that is measured. Absent: until the 95 % intervals of goodput and median latency are "
              "within `precision`; 200us if nothing can become steady")
            .at_least(1us)
            .at_most(longest_part),
        field("precision", &Run::precision,
              "Largest half-width of the 95 % interval of each goodput and median latency, in percent of the value")
            .at_least(0.001)
            .at_most(100),
        field("at_most", &Run::at_most,
              "Limit of the simulated time when warm-up or measurement length are found automatically; the run then "
              "ends with a warning")
            .at_least(100us)
            .at_most(longest_part),
        field("seed", &Run::seed, "Seed of every random stream in the run").at_least(0),
        field("quantum", &Run::quantum, "Longest time that the fabric computes at once; affects speed, never results")
            .at_least(1ns)
            .at_most(device::longest_wait),
        field("watchdog", &Run::watchdog,
              "Time without progress, in a cycle of waiting queues or for lost credits, after which the run ends with "
              "a deadlock report; at least 1us. 0ns: never")
            .at_least(Duration{0}),
        field("stage_interval", &Run::stage_interval,
              "Sampling of latency stages: one in this many packets of each traffic entry; 1: every packet")
            .at_least(1)
            .at_most(1'000'000)};
  }
};

/// One thing that must be true of the results.
struct Expectation {
  static constexpr std::string_view bottleneck = "bottleneck";  ///< `metric`: the sentence that names it
  static constexpr std::string_view warning = "warning";        ///< `metric`: any warning of the run

  std::string metric;
  std::optional<double> equals, at_least, at_most, within_percent;
  std::optional<std::string> is{};

  /// Whether `is` takes the place of a bound.
  bool is_text() const { return metric == bottleneck || metric == warning; }

  static constexpr auto fields() {
    return std::tuple{
        field("metric", &Expectation::metric, "Metric name as printed in the result table, `bottleneck`, or `warning`"),
        field("is", &Expectation::is,
              "Required beginning of the bottleneck sentence or of a warning; for metrics `bottleneck` and `warning` "
              "only"),
        field("equals", &Expectation::equals, "Required value"),
        field("within_percent", &Expectation::within_percent, "Tolerance around `equals`, in percent"),
        field("at_least", &Expectation::at_least, "Lower bound"),
        field("at_most", &Expectation::at_most, "Upper bound")};
  }
};

/// A whole scenario.
struct Scenario {
  std::string name;  ///< path below scenarios/ without .json, or the file's stem
  std::string description;
  std::string source;  ///< where its numbers come from
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<InterSocket> inter_socket;
  std::vector<Cable> cables;
  std::vector<Weight> arbitration;
  std::vector<Traffic> traffic;
  std::vector<Event> events;
  Run run;
  Emulator emulator;
  Sweep sweep;
  std::vector<Expectation> expect;
};

}  // namespace peerpath::scenario
