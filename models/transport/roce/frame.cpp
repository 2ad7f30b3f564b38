#include "transport/roce/frame.hpp"

#include <algorithm>

#include "peerpath/net/ipv4_frame.hpp"

namespace peerpath::roce {
namespace {

using net::FieldReader, net::FieldWriter;

constexpr std::size_t ethernet = net::EthernetHeader::size, ipv4 = net::Ipv4Header::size;
constexpr std::size_t udp = 8, to_bth = net::Ipv4Frame::headers + udp, bth = 12, icrc_size = 4;

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}();

/// Bytes of the extended headers behind the base one; none: the opcode has no meaning here.
std::optional<std::size_t> extensions(std::uint8_t opcode) {
  if (opcode == congestion_notification) return 16;
  const auto o = operation_of(opcode);
  if (service_of(opcode) == Service::unreliable_datagram) {
    if (o == Operation::send_only) return 8;
    if (o == Operation::send_only_immediate) return 12;
    return std::nullopt;
  }
  if (service_of(opcode) != Service::reliable_connection || o > Operation::fetch_add) return std::nullopt;
  std::size_t size = 0;
  if (has_reth(o)) size += 16;
  if (has_immediate(o)) size += 4;
  if (has_aeth(o)) size += 4;
  if (o == Operation::atomic_acknowledge) size += 8;
  if (is_atomic(o)) size += 28;
  return size;
}

std::size_t padding(std::size_t length) { return (4 - length % 4) % 4; }

void put_extensions(FieldWriter w, const Packet& p) {
  if (p.opcode == congestion_notification) return;
  const auto o = p.operation();
  if (service_of(p.opcode) == Service::unreliable_datagram) {
    w.put<4>(p.key).put<4>(p.immediate & psn_mask);
    return;
  }
  if (has_reth(o)) w.put<8>(p.address).put<4>(p.key).put<4>(p.dma_length);
  if (has_immediate(o)) w.put<4>(p.immediate);
  if (has_aeth(o)) w.put<1>(p.syndrome).put<3>(p.msn & psn_mask);
  if (o == Operation::atomic_acknowledge) w.put<8>(p.swap_or_add);
  if (is_atomic(o)) w.put<8>(p.address).put<4>(p.key).put<8>(p.swap_or_add).put<8>(p.compare);
}

void take_extensions(FieldReader r, Packet& p) {
  if (p.opcode == congestion_notification) return;
  const auto o = p.operation();
  if (service_of(p.opcode) == Service::unreliable_datagram) {
    p.key = r.take<4>();
    p.immediate = r.take<4>() & psn_mask;
    return;
  }
  if (has_reth(o)) {
    p.address = r.take<8>();
    p.key = r.take<4>();
    p.dma_length = r.take<4>();
  }
  if (has_immediate(o)) p.immediate = r.take<4>();
  if (has_aeth(o)) {
    p.syndrome = r.take<1>();
    p.msn = r.take<3>();
  }
  if (o == Operation::atomic_acknowledge) p.swap_or_add = r.take<8>();
  if (is_atomic(o)) {
    p.address = r.take<8>();
    p.key = r.take<4>();
    p.swap_or_add = r.take<8>();
    p.compare = r.take<8>();
  }
}

}  // namespace

std::size_t header_size(const Packet& packet) { return to_bth + bth + extensions(packet.opcode).value_or(0); }

std::size_t frame_size(const Packet& packet) {
  return header_size(packet) + packet.length + padding(packet.length) + icrc_size;
}

std::uint32_t icrc(std::span<const std::uint8_t> ip) {
  std::uint32_t crc = ~std::uint32_t{0};
  const auto add = [&](std::uint8_t byte) { crc = crc_table[(crc ^ byte) & 0xff] ^ (crc >> 8); };
  for (int i = 0; i < 8; ++i) add(0xff);
  for (std::size_t i = 0; i < ip.size(); ++i) {
    // TOS, TTL, header checksum; UDP checksum; the byte of the BTH with FECN and BECN.
    const bool changes =
        i == 1 || i == 8 || i == 10 || i == 11 || i == ipv4 + 6 || i == ipv4 + 7 || i == ipv4 + udp + 4;
    add(changes ? 0xff : ip[i]);
  }
  return ~crc;
}

std::vector<std::uint8_t> encode(const Packet& packet, const Addresses& addresses,
                                 std::span<const std::uint8_t> payload) {
  const auto size = frame_size(packet);
  const auto header = header_size(packet);
  std::vector<std::uint8_t> frame(size);
  FieldWriter w{frame.data()};
  write(w, net::EthernetHeader{addresses.destination_mac, addresses.source_mac});
  write(w, net::Ipv4Header{static_cast<std::uint8_t>(addresses.dscp << 2 | addresses.ecn),
                           static_cast<std::uint16_t>(size - ethernet), 0, net::protocol_udp, addresses.source_ip,
                           addresses.destination_ip});
  w.put<2>(addresses.source_port).put<2>(udp_port).put<2>(size - ethernet - ipv4).put<2>(0);
  w.put<1>(packet.opcode).put<1>(0x40 | padding(packet.length) << 4).put<2>(0xffff);
  w.put<1>(packet.becn ? 0x40 : 0).put<3>(packet.destination_qp);
  w.put<1>(packet.ack_request ? 0x80 : 0).put<3>(packet.psn & psn_mask);
  put_extensions(w, packet);
  std::ranges::copy(payload.first(std::min<std::size_t>(payload.size(), packet.length)),
                    frame.begin() + static_cast<std::ptrdiff_t>(header));
  const auto crc = icrc(std::span{frame}.subspan(ethernet, size - ethernet - icrc_size));
  for (std::size_t i = 0; i < icrc_size; ++i) frame[size - icrc_size + i] = static_cast<std::uint8_t>(crc >> 8 * i);
  return frame;
}

Decoded decode(std::span<const std::uint8_t> frame) {
  Decoded out;
  const auto fails = [&](DecodeError error) {
    out.error = error;
    return out;
  };
  const auto head = net::read_ipv4_frame(frame);
  if (!head || head->ip.protocol != net::protocol_udp || frame.size() < to_bth) return fails(DecodeError::not_roce);
  FieldReader ports{frame.data() + net::Ipv4Frame::headers};
  const auto source_port = ports.take<2>();
  if (ports.take<2>() != udp_port) return fails(DecodeError::not_roce);
  const auto size = ethernet + head->ip.length;  // Ethernet padding may follow
  if (size > frame.size() || size < to_bth + bth + icrc_size) return fails(DecodeError::truncated);
  auto& a = out.addresses;
  a.destination_mac = head->ethernet.destination;
  a.source_mac = head->ethernet.source;
  a.dscp = head->ip.traffic_class >> 2;
  a.ecn = head->ip.traffic_class & 3;
  a.source_ip = head->ip.source;
  a.destination_ip = head->ip.destination;
  a.source_port = source_port;

  FieldReader r{frame.data() + to_bth};
  auto& p = out.packet;
  p.opcode = r.take<1>();
  const auto pad = (r.take<1>() >> 4) & 3;
  r.take<2>();
  p.becn = (r.take<1>() & 0x40) != 0;
  p.destination_qp = r.take<3>();
  p.ack_request = (r.take<1>() & 0x80) != 0;
  p.psn = r.take<3>();
  const auto extended = extensions(p.opcode);
  if (!extended) return fails(DecodeError::unknown_opcode);
  const auto header = to_bth + bth + *extended;
  if (header + icrc_size + pad > size) return fails(DecodeError::truncated);
  take_extensions(r, p);
  const auto payload = size - header - icrc_size - pad;
  p.length = static_cast<std::uint32_t>(payload);
  out.payload = frame.subspan(header, payload);
  const auto crc = icrc(frame.subspan(ethernet, size - ethernet - icrc_size));
  for (std::size_t i = 0; i < icrc_size; ++i)
    if (frame[size - icrc_size + i] != static_cast<std::uint8_t>(crc >> 8 * i)) return fails(DecodeError::bad_icrc);
  return out;
}

}  // namespace peerpath::roce
