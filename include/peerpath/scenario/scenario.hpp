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
        field("posted_header", &CreditConfig::posted_header, "Posted TLPs; 0 is infinite").at_least(0),
        field("posted_data", &CreditConfig::posted_data, "Posted data in units of 16 B; 0 is infinite").at_least(0),
        field("non_posted_header", &CreditConfig::non_posted_header, "Non-posted TLPs; 0 is infinite").at_least(0),
        field("non_posted_data", &CreditConfig::non_posted_data, "Non-posted data in units of 16 B; 0 is infinite")
            .at_least(0),
        field("completion_header", &CreditConfig::completion_header, "Completions; 0 is infinite").at_least(0),
        field("completion_data", &CreditConfig::completion_data, "Completion data in units of 16 B; 0 is infinite")
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
              "Traffic classes, 1 to 7, that go by VC 1 of this link; the others go by VC 0"),
        field("credits", &VirtualChannelConfig::credits, "Credits of VC 1, advertised at both ends"),
        field("vc0_turns", &VirtualChannelConfig::vc0_turns,
              "TLPs in a row that VC 0 has in weighted VC arbitration; 0 for both channels: VC 1 goes first whenever "
              "it can")
            .at_least(0)
            .at_most(256),
        field("vc1_turns", &VirtualChannelConfig::vc1_turns, "The same of VC 1").at_least(0).at_most(256)};
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
        field("generation", &Link::generation, "PCIe generation, 1 to 6: the highest that it trains to")
            .at_least(1)
            .at_most(6),
        field("width", &Link::width, "Lanes: 1, 2, 4, 8, 12 or 16; the most that it trains to").at_least(1).at_most(16),
        field("host_bridge", &Link::host_bridge,
              "Of a link from a root port: which of the root complex's host bridges (root buses) the port belongs to. "
              "Hosts of several sockets or I/O dies have several; Linux's p2pdma asks (peerpath route)")
            .at_least(0)
            .at_most(255),
        field("dllp", &Link::dllp, "How link-layer packets are charged"),
        field("link_share", &Link::link_share, "What a real link achieves of the modelled rate")
            .at_least(0.01)
            .at_most(1.0)
            .from("fitted where a preset says so"),
        field("propagation", &Link::propagation, "Wire and PHY, one way").at_most(device::longest_wait),
        field("update_fc", &Link::update_fc, "Buffer freed to credit usable by the sender")
            .at_most(device::longest_wait),
        field("ack_interval", &Link::ack_interval,
              "TLPs received at least this far apart cause one ACK each; absent: as far as the specification allows")
            .at_least(Duration{1})
            .at_most(device::longest_wait),
        field("update_fc_interval", &Link::update_fc_interval, "The same of UpdateFCs, all classes together")
            .at_least(Duration{1})
            .at_most(device::longest_wait),
        field("tlp_gap", &Link::tlp_gap, "Line time that the downstream end leaves idle after each TLP it sends")
            .at_least(0_B)
            .at_most(256_B)
            .from("0 unless fitted"),
        field("credits", &Link::credits,
              "Credits advertised at both ends; of VC 0 where there are two virtual channels"),
        field("vc1", &Link::vc1, "A second virtual channel, with buffers of its own; without it all goes by VC 0"),
        field("bit_error_rate", &Link::bit_error_rate,
              "Chance that a bit of a TLP is wrong: 1e-8; each such TLP is replayed")
            .at_least(0)
            .at_most(1e-4),
        field("replay_delay", &Link::replay_delay,
              "End of a TLP with an error to the start of its replay: the way there and back, and the NAK")
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
        field("from", &InterSocket::from, "The root complex of one socket"),
        field("to", &InterSocket::to, "The root complex of the other one"),
        field("links", &InterSocket::links, "Links between the two that share all that crosses")
            .at_least(1)
            .at_most(16),
        field("rate", &InterSocket::rate,
              "Each direction of one link: what is left for data and the headers of TLPs; its own coding taken off")
            .at_least(device::least_rate)
            .at_most(BitRate{4'000'000'000'000}),
        field("latency", &InterSocket::latency, "One way, besides those of the two root complexes")
            .at_least(1ns)
            .at_most(device::longest_wait)
            .from("assumed: half of what memory of the other socket takes longer, 140 ns"),
        field("forwards_peers", &InterSocket::forwards_peers,
              "Whether requests of a device to a device of the other socket cross; else Unsupported Request")
            .from("assumed: as those of root_complex"),
        field("peer_write_rate", &InterSocket::peer_write_rate,
              "What writes of devices to devices reach in each direction; absent: what the link carries")
            .at_least(device::least_rate),
        field("peer_read_rate", &InterSocket::peer_read_rate, "The same of the data of such reads")
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
        field("from", &Cable::from, "The nic at one end"), field("to", &Cable::to, "The nic at the other end"),
        field("rate", &Cable::rate, "To which both ports have trained; absent: the lower of their wire rates")
            .at_least(1_Gbps),
        field("delay", &Cable::delay, "Last bit out to last bit in: 5 ns a metre, and the PHYs")
            .at_most(device::longest_wait)
            .from("assumed: two metres")};
  }
};

/// An entry of `hosts`, beside `devices`, `links`, `inter_socket` and `arbitration` of one machine. Machine 1 of "n" is
/// "n[1]", and its device "gpu0" is "n[1].gpu0"; reading a scenario makes devices and links of them.
struct HostConfig {
  int count = 1;

  static constexpr auto fields() {
    return std::tuple{field("count", &HostConfig::count, "Machines that are alike, numbered from 0: n[0], n[1]")
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
    return std::tuple{field("at", &Weight::at, "The switch or root complex that arbitrates"),
                      field("from", &Weight::from,
                            "The device whose TLPs get the turns: the other end of the link that they come in by"),
                      field("to", &Weight::to, "The other end of the link that they leave by"),
                      field("turns", &Weight::turns,
                            "TLPs of one class that may go in a row; 1, as for those not named: plain round robin")
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
        field(
            "warmup", &Run::warmup,
            "Simulated before counting starts; absent: until goodput and median latency of all traffic are steady, or "
            "20us where nothing is steady (events, captures), 0ns for traffic with bytes")
            .at_most(longest_part),
        field("measure", &Run::measure,
              "Simulated time that counts; absent: until the 95 % intervals of goodput and median latency are within "
              "`precision`, or 200us where nothing is steady")
            .at_least(1us)
            .at_most(longest_part),
        field("precision", &Run::precision,
              "Percent of its value by which the 95 % interval of each goodput and median latency may reach to either "
              "side")
            .at_least(0.001)
            .at_most(100),
        field("at_most", &Run::at_most,
              "Simulated time after which a run that looks for its warm-up or its measured window ends, with a warning "
              "that names what has not settled")
            .at_least(100us)
            .at_most(longest_part),
        field("seed", &Run::seed, "Of all randomness").at_least(0),
        field("quantum", &Run::quantum, "Longest batch of the fabric; changes speed, never results")
            .at_least(1ns)
            .at_most(device::longest_wait),
        field("watchdog", &Run::watchdog,
              "What waits in a circle, or for credits that are lost, for so long without any move ends the run with a "
              "deadlock report; 1us at least, or 0ns: never")
            .at_least(Duration{0}),
        field("stage_interval", &Run::stage_interval,
              "Of so many packets of a traffic entry one has the stages of its latency recorded; 1: every one")
            .at_least(1)
            .at_most(1'000'000)};
  }
};

/// One thing that must be true of the results.
struct Expectation {
  static constexpr std::string_view bottleneck = "bottleneck";  ///< the one `metric` that is no number

  std::string metric;
  std::optional<double> equals, at_least, at_most, within_percent;
  std::optional<std::string> is{};

  static constexpr auto fields() {
    return std::tuple{
        field("metric", &Expectation::metric, "Name of a metric, as in the result table; or `bottleneck`"),
        field("is", &Expectation::is, "What the sentence of the bottleneck has to begin with; for `bottleneck`"),
        field("equals", &Expectation::equals, "Value that it must have"),
        field("within_percent", &Expectation::within_percent, "Allowed distance from `equals`"),
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
