#include <algorithm>

#include "peerpath/net/checksum.hpp"
#include "peerpath/net/headers.hpp"

namespace peerpath::net {
namespace {

/// Appends big-endian fields.
class Writer {
 public:
  void u8(unsigned v) { out.data[out.size++] = static_cast<std::uint8_t>(v); }
  void u16(unsigned v) {
    u8(v >> 8);
    u8(v & 0xff);
  }
  void u32(std::uint32_t v) {
    u16(v >> 16);
    u16(v & 0xffff);
  }
  void copy(std::span<const std::uint8_t> bytes) {
    for (const auto b : bytes) u8(b);
  }
  void zeros(int n) {
    while (n-- > 0) u8(0);
  }
  void put16(std::size_t at, unsigned v) {
    out.data[at] = static_cast<std::uint8_t>(v >> 8);
    out.data[at + 1] = static_cast<std::uint8_t>(v);
  }

  HeaderBytes out;
};

constexpr int tcp_size = 32, udp_size = 8;

void ethernet(Writer& w, Layer3 layer3) {
  w.copy(std::array<std::uint8_t, 6>{0x02, 0, 0, 0, 0, 0x02});  // locally administered
  w.copy(std::array<std::uint8_t, 6>{0x02, 0, 0, 0, 0, 0x01});
  w.u16(layer3 == Layer3::ipv6 ? 0x86dd : 0x0800);
}

void ipv4(Writer& w, const FrameSpec& s, unsigned protocol, unsigned length) {
  const std::size_t at = w.out.size;
  w.u8(0x45);
  w.u8(s.key.traffic_class);
  w.u16(20 + length);
  w.u16(s.ip_id);
  w.u16(0x4000);  // do not fragment
  w.u8(64);
  w.u8(protocol);
  w.u16(0);
  w.copy(std::span{s.key.source}.first(4));
  w.copy(std::span{s.key.destination}.first(4));
  InternetChecksum sum;
  sum.add(std::span{w.out.data}.subspan(at, 20));
  w.put16(at + 10, sum.value());
}

void ipv6(Writer& w, const FrameSpec& s, unsigned protocol, unsigned length) {
  w.u32(0x60000000u | static_cast<std::uint32_t>(s.key.traffic_class) << 20);
  w.u16(length);
  w.u8(protocol);
  w.u8(64);
  w.copy(s.key.source);
  w.copy(s.key.destination);
}

void tcp(Writer& w, const FrameSpec& s) {
  w.u16(s.key.source_port);
  w.u16(s.key.destination_port);
  w.u32(s.tcp_sequence);
  w.u32(1);  // acknowledges
  w.u8(tcp_size / 4 << 4);
  w.u8(s.tcp_flags);
  w.u16(0xffff);      // window
  w.zeros(4);         // checksum, urgent pointer
  w.u32(0x0101080a);  // no-op, no-op, timestamps of 10 bytes
  w.zeros(8);
}

void udp(Writer& w, const FrameSpec& s, unsigned length) {
  w.u16(s.key.source_port);
  w.u16(s.key.destination_port);
  w.u16(length);
  w.zeros(2);
}

}  // namespace

HeaderBytes build(const FrameSpec& spec) {
  Writer w;
  const bool is_udp = spec.key.layer4 == Layer4::udp;
  const auto layer4 = static_cast<unsigned>(is_udp ? udp_size : tcp_size);
  const unsigned length = layer4 + static_cast<unsigned>(spec.payload.count());
  ethernet(w, spec.key.layer3);
  if (spec.key.layer3 == Layer3::ipv6)
    ipv6(w, spec, is_udp ? 17 : 6, length);
  else
    ipv4(w, spec, is_udp ? 17 : 6, length);
  if (is_udp)
    udp(w, spec, length);
  else
    tcp(w, spec);
  return w.out;
}

void advance_tcp_sequence(HeaderBytes& header, Bytes by) {
  constexpr std::size_t at = 14 + 20 + 4;  // Ethernet, IPv4, ports
  std::uint32_t sequence = static_cast<std::uint32_t>(by.count());
  for (std::size_t i = 0; i < 4; ++i) sequence += static_cast<std::uint32_t>(header.data[at + i]) << (24 - 8 * i);
  for (std::size_t i = 0; i < 4; ++i) header.data[at + i] = static_cast<std::uint8_t>(sequence >> (24 - 8 * i));
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
