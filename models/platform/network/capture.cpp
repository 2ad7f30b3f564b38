#include "platform/network/capture.hpp"

#include <bit>

#include "observe/trace/tracer.hpp"
#include "peerpath/base/nearest.hpp"
#include "transport/roce/frame.hpp"

namespace peerpath::network_run {
namespace {

using trace::PacketDirection;

roce::Addresses addresses_of(const network::Packet& packet) {
  roce::Addresses a;
  a.source_mac = mac_of(packet.source);
  a.destination_mac = mac_of(packet.destination);
  a.source_ip = ip_of(packet.source);
  a.destination_ip = ip_of(packet.destination);
  a.source_port = static_cast<std::uint16_t>(0xc000 | (packet.flow_hash & 0x3fff));
  a.dscp = static_cast<std::uint8_t>(8 * packet.priority);  // the class selector of its priority (RFC 2474)
  a.ecn = packet.congestion_experienced ? 3 : packet.ecn_capable ? 2 : 0;
  return a;
}

}  // namespace

std::array<std::uint8_t, 6> mac_of(network::HostIndex host) {
  const std::uint32_t n = host + 1;
  const auto byte = [n](int shift) { return static_cast<std::uint8_t>(n >> shift); };
  return {2, 0, byte(24), byte(16), byte(8), byte(0)};
}

std::uint32_t ip_of(network::HostIndex host) { return 0x0a000001 + host; }

std::vector<std::uint8_t> roce_headers(const network::Packet& packet) {
  const auto said = std::bit_cast<roce::Packet>(packet.cargo);
  const std::vector<std::uint8_t> payload(said.length);
  auto frame = encode(said, addresses_of(packet), payload);
  if (said.length > 0) frame.resize(header_size(said));
  return frame;
}

Capture::Capture(const CaptureRequest& request, const network::Graph& graph, network::Hosts& hosts, Headers headers)
    : hosts_{hosts},
      headers_{headers},
      window_{request.window},
      digits_{trace::timestamp_digits(request.end)},
      out_{request.file, std::ios::binary},
      writer_{out_, request.program, "Frames at the hosts' end of the cable, headers only", digits_},
      links_(graph.hosts.size()) {
  std::vector<const network::Cable*> cable_of(graph.nodes.size());
  for (const auto& cable : graph.cables) cable_of[cable.a] = cable_of[cable.b] = &cable;
  for (network::HostIndex host = 0; host < graph.hosts.size(); ++host) {
    const auto self = graph.hosts[host];
    const auto* cable = cable_of[self];
    if (cable == nullptr) continue;
    const auto other = cable->a == self ? cable->b : cable->a;
    links_[host] = {request.links.empty(), {}, graph.nodes[self].name + "-" + graph.nodes[other].name, cable->rate};
  }
  for (const auto& pattern : request.links) {
    bool any = false;
    std::vector<std::string_view> names;
    for (auto& link : links_) {
      names.push_back(link.name);
      if (trace::matches(pattern, link.name)) link.shown = any = true;
    }
    const auto near = nearest(pattern, names);
    if (!any)
      problems_.push_back(
          {.file = {},
           .key = "--trace-links",
           .message = "no host's cable is called '" + pattern + "'; " +
                      (near.empty() ? "one is '" + links_.front().name + "'" : "did you mean '" + near + "'?")});
  }
  if (!out_)
    problems_.push_back({.file = {}, .key = "--trace", .message = request.file.string() + " cannot be written"});
}

std::optional<std::int64_t> Capture::finish() {
  out_.close();
  return out_ ? std::optional{frames_} : std::nullopt;
}

bool Capture::next(network::HostIndex host, std::uint8_t open, Instant now, network::Packet& packet) {
  if (!hosts_.next(host, open, now, packet)) return false;
  write(host, packet, now, PacketDirection::outbound);
  return true;
}

void Capture::arrived(network::HostIndex host, const network::Packet& packet, Instant now) {
  write(host, packet, now, PacketDirection::inbound);
  hosts_.arrived(host, packet, now);
}

void Capture::write(network::HostIndex host, const network::Packet& packet, Instant now, PacketDirection direction) {
  auto& link = links_[host];
  if (!link.shown || !window_.holds(now)) return;
  if (!link.interface)
    link.interface = writer_.add({trace::LinkType::ethernet, link.name, "Ethernet port of a host",
                                  static_cast<std::uint64_t>(link.rate.bps()), 0});
  const auto headers = headers_(packet);
  writer_.packet(*link.interface, trace::timestamp(now, digits_), headers, static_cast<std::uint32_t>(packet.bytes),
                 direction, {});
  ++frames_;
}

}  // namespace peerpath::network_run
