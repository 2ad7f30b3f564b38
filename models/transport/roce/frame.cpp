#include "transport/roce/frame.hpp"

#include <algorithm>

#include "peerpath/net/checksum.hpp"

namespace peerpath::roce {
namespace {

constexpr std::size_t ethernet = 14, ipv4 = 20, udp = 8, bth = 12, icrc_size = 4;
constexpr std::size_t to_bth = ethernet + ipv4 + udp;

/// Writes numbers in network order, one behind the other.
class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_{at} {}
  template <int bytes>
  Writer& put(std::uint64_t value) {
    for (int i = bytes - 1; i >= 0; --i) *at_++ = static_cast<std::uint8_t>(value >> 8 * i);
    return *this;
  }
  std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_{at} {}
  template <int bytes>
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | *at_++;
    return value;
  }

 private:
  const std::uint8_t* at_;
};

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

void put_extensions(Writer w, const Packet& p) {
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

void take_extensions(Reader r, Packet& p) {
  if (p.opcode == congestion_notification) return;
  const auto o = p.operation();
  if (service_of(p.opcode) == Service::unreliable_datagram) {
    p.key = static_cast<std::uint32_t>(r.take<4>());
    p.immediate = static_cast<std::uint32_t>(r.take<4>()) & psn_mask;
    return;
  }
  if (has_reth(o)) {
    p.address = r.take<8>();
    p.key = static_cast<std::uint32_t>(r.take<4>());
    p.dma_length = static_cast<std::uint32_t>(r.take<4>());
  }
  if (has_immediate(o)) p.immediate = static_cast<std::uint32_t>(r.take<4>());
  if (has_aeth(o)) {
    p.syndrome = static_cast<std::uint8_t>(r.take<1>());
    p.msn = static_cast<std::uint32_t>(r.take<3>());
  }
  if (o == Operation::atomic_acknowledge) p.swap_or_add = r.take<8>();
  if (is_atomic(o)) {
    p.address = r.take<8>();
    p.key = static_cast<std::uint32_t>(r.take<4>());
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
  std::ranges::copy(addresses.destination_mac, frame.begin());
  std::ranges::copy(addresses.source_mac, frame.begin() + 6);
  Writer w{frame.data() + 12};
  w.put<2>(0x0800);
  w.put<1>(0x45).put<1>(static_cast<unsigned>(addresses.dscp << 2 | addresses.ecn)).put<2>(size - ethernet);
  w.put<4>(0x4000).put<1>(64).put<1>(17).put<2>(0).put<4>(addresses.source_ip).put<4>(addresses.destination_ip);
  w.put<2>(addresses.source_port).put<2>(udp_port).put<2>(size - ethernet - ipv4).put<2>(0);
  w.put<1>(packet.opcode).put<1>(0x40 | padding(packet.length) << 4).put<2>(0xffff);
  w.put<1>(packet.becn ? 0x40 : 0).put<3>(packet.destination_qp);
  w.put<1>(packet.ack_request ? 0x80 : 0).put<3>(packet.psn & psn_mask);
  put_extensions(w, packet);
  std::ranges::copy(payload.first(std::min<std::size_t>(payload.size(), packet.length)),
                    frame.begin() + static_cast<std::ptrdiff_t>(header));
  net::InternetChecksum sum;
  sum.add(std::span{frame}.subspan(ethernet, ipv4));
  Writer{frame.data() + ethernet + 10}.put<2>(sum.value());
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
  if (frame.size() < to_bth) return fails(DecodeError::not_roce);
  Reader port{frame.data() + ethernet + ipv4 + 2}, type{frame.data() + 12};
  if (type.take<2>() != 0x0800 || frame[ethernet] != 0x45 || frame[ethernet + 9] != 17 || port.take<2>() != udp_port)
    return fails(DecodeError::not_roce);
  Reader length{frame.data() + ethernet + 2};
  const auto size = ethernet + static_cast<std::size_t>(length.take<2>());  // Ethernet padding may follow
  if (size > frame.size() || size < to_bth + bth + icrc_size) return fails(DecodeError::truncated);
  auto& a = out.addresses;
  std::copy_n(frame.begin(), 6, a.destination_mac.begin());
  std::copy_n(frame.begin() + 6, 6, a.source_mac.begin());
  a.dscp = frame[ethernet + 1] >> 2;
  a.ecn = frame[ethernet + 1] & 3;
  Reader ip{frame.data() + ethernet + 12};
  a.source_ip = static_cast<std::uint32_t>(ip.take<4>());
  a.destination_ip = static_cast<std::uint32_t>(ip.take<4>());
  a.source_port = static_cast<std::uint16_t>(ip.take<2>());

  Reader r{frame.data() + to_bth};
  auto& p = out.packet;
  p.opcode = static_cast<std::uint8_t>(r.take<1>());
  const auto pad = (r.take<1>() >> 4) & 3;
  r.take<2>();
  p.becn = (r.take<1>() & 0x40) != 0;
  p.destination_qp = static_cast<std::uint32_t>(r.take<3>());
  p.ack_request = (r.take<1>() & 0x80) != 0;
  p.psn = static_cast<std::uint32_t>(r.take<3>());
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
