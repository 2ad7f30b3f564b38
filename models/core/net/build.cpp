#include "peerpath/net/headers.hpp"
#include "peerpath/net/ipv4_frame.hpp"

namespace peerpath::net {
namespace {

constexpr int tcp_size = 32, udp_size = 8;
constexpr MacAddress destination_mac{0x02, 0, 0, 0, 0, 0x02},
    source_mac{0x02, 0, 0, 0, 0, 0x01};  // locally administered

std::uint32_t ipv4_address(const std::array<std::uint8_t, 16>& address) {
  return FieldReader{address.data()}.take<4>();
}

void ipv6(FieldWriter& w, const FlowKey& key, std::uint8_t protocol, unsigned length) {
  w.put<4>(0x60000000u | static_cast<std::uint32_t>(key.traffic_class) << 20);
  w.put<2>(length).put<1>(protocol).put<1>(64).copy(key.source).copy(key.destination);
}

void tcp(FieldWriter& w, const FrameSpec& s) {
  constexpr std::uint32_t acknowledgement = 1, no_operations_and_timestamps_of_10_bytes = 0x0101080a;
  constexpr unsigned window = 0xffff, checksum_and_urgent_pointer = 0, both_timestamps = 0;
  w.put<2>(s.key.source_port).put<2>(s.key.destination_port).put<4>(s.tcp_sequence).put<4>(acknowledgement);
  w.put<1>(tcp_size / 4 << 4).put<1>(s.tcp_flags).put<2>(window).put<4>(checksum_and_urgent_pointer);
  w.put<4>(no_operations_and_timestamps_of_10_bytes).put<8>(both_timestamps);
}

void udp(FieldWriter& w, const FlowKey& key, unsigned length) {
  w.put<2>(key.source_port).put<2>(key.destination_port).put<2>(length).put<2>(0);
}

}  // namespace

HeaderBytes build(const FrameSpec& spec) {
  HeaderBytes out;
  FieldWriter w{out.data.data()};
  const auto& key = spec.key;
  const bool is_udp = key.layer4 == Layer4::udp, is_ipv6 = key.layer3 == Layer3::ipv6;
  const auto protocol = is_udp ? protocol_udp : protocol_tcp;
  const auto length = static_cast<unsigned>(is_udp ? udp_size : tcp_size) + static_cast<unsigned>(spec.payload.count());
  write(w, EthernetHeader{destination_mac, source_mac, is_ipv6 ? ethertype_ipv6 : ethertype_ipv4});
  if (is_ipv6)
    ipv6(w, key, protocol, length);
  else
    write(w, Ipv4Header{key.traffic_class, static_cast<std::uint16_t>(Ipv4Header::size + length), spec.ip_id, protocol,
                        ipv4_address(key.source), ipv4_address(key.destination)});
  if (is_udp)
    udp(w, key, length);
  else
    tcp(w, spec);
  out.size = static_cast<std::uint16_t>(w.at() - out.data.data());
  return out;
}

void advance_tcp_sequence(HeaderBytes& header, Bytes by) {
  auto* const at = header.data.data() + Ipv4Frame::headers + 4;  // behind the ports
  FieldWriter{at}.put<4>(FieldReader{at}.take<4>() + static_cast<std::uint64_t>(by.count()));
}

FlowKey generated_flow(std::uint32_t n) {
  FlowKey key;
  key.layer3 = Layer3::ipv4;
  key.layer4 = Layer4::tcp;
  key.source = {10, 1, static_cast<std::uint8_t>(n >> 16), static_cast<std::uint8_t>(n >> 8)};
  key.destination = {10, 0, 0, 1};
  key.source_port = static_cast<std::uint16_t>(20000 + n % 40000);
  key.destination_port = static_cast<std::uint16_t>(5000 + n % 256);
  return key;
}

}  // namespace peerpath::net
