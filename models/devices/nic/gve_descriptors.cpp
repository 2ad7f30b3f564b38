#include "devices/nic/gve_descriptors.hpp"

#include <utility>

namespace peerpath::nic::gve {
namespace {

constexpr std::uint8_t type_packet = 0xc, type_tso = 0x5, type_general = 0x4;
constexpr std::uint16_t min_mss = 88, max_mss = 9728;

unsigned layer3_code(net::Layer3 layer3) {
  return layer3 == net::Layer3::ipv4 ? 2 : layer3 == net::Layer3::ipv6 ? 3 : 1;
}
unsigned layer4_code(net::Layer4 layer4) {
  switch (layer4) {
    case net::Layer4::none:
      return 0;
    case net::Layer4::other:
      return 1;
    case net::Layer4::tcp:
      return 2;
    case net::Layer4::udp:
      return 3;
  }
  return 0;
}
unsigned bit(bool value, unsigned position) { return value ? 1u << position : 0u; }

}  // namespace

std::uint16_t ptype_of(net::Layer3 layer3, net::Layer4 layer4) {
  return static_cast<std::uint16_t>(layer3_code(layer3) << 3 | layer4_code(layer4));
}

std::array<std::uint8_t, 2> ptype_entry(std::uint16_t ptype) {
  const auto layer3 = static_cast<std::uint8_t>(ptype >> 3), layer4 = static_cast<std::uint8_t>(ptype & 7);
  if (layer3 > 3 || layer4 > 3) return {0, 0};
  return {layer3, layer4};
}

BufferDescriptor decode_buffer(const Descriptor32& raw) {
  BufferDescriptor buffer;
  buffer.buffer = BufferId{static_cast<std::uint32_t>(load_le(raw, 0, 2))};
  buffer.payload.address = BusAddress{load_le(raw, 8, 8)};
  buffer.header.address = BusAddress{load_le(raw, 16, 8)};
  return buffer;
}

Descriptor32 encode_buffer(const BufferDescriptor& buffer) {
  Descriptor32 raw{};
  store_le(raw, 0, 2, buffer.buffer.value());
  store_le(raw, 8, 8, buffer.payload.address.value());
  store_le(raw, 16, 8, buffer.header.address.value());
  return raw;
}

Descriptor32 encode_rx_completion(const RxCompletion& c, const RxOffload& offload) {
  using net::Layer4Checksum;
  Descriptor32 raw{};
  raw[0] = 1;  // rxdid
  raw[1] = static_cast<std::uint8_t>(bit(offload.ipv6_extension, 1) | bit(offload.write_failed, 2));
  store_le(raw, 2, 2, ptype_of(c.layer3, c.layer4));
  store_le(raw, rx_generation_at, 2, (c.payload_length & 0x3fffu) | bit(c.generation, 14));
  store_le(raw, 6, 2, (c.header_length & 0x3ffu) | bit(offload.rsc_segment > 0, 10) | bit(c.split, 11));
  raw[8] = static_cast<std::uint8_t>(bit(true, 0) | bit(c.end_of_packet, 1) |
                                     bit(offload.layer4 != Layer4Checksum::unknown, 3) | bit(c.error, 4) |
                                     bit(offload.layer4 == Layer4Checksum::bad, 5));
  store_le(raw, 12, 2, c.buffer.value());
  store_le(raw, 14, 2, offload.rsc_segment);
  store_le(raw, 16, 4, c.rss_hash);
  return raw;
}

RxCompletion decode_rx_completion(const Descriptor32& raw) {
  RxCompletion c;
  c.error = (raw[8] >> 4 & 1) != 0;
  const auto types = ptype_entry(static_cast<std::uint16_t>(load_le(raw, 2, 2) & 0x3ff));
  c.layer3 = types[0] == 2 ? net::Layer3::ipv4 : types[0] == 3 ? net::Layer3::ipv6 : net::Layer3::other;
  constexpr std::array layers4{net::Layer4::none, net::Layer4::other, net::Layer4::tcp, net::Layer4::udp};
  c.layer4 = layers4[types[1] & 3u];
  const auto length = load_le(raw, 4, 2);
  c.payload_length = static_cast<std::uint32_t>(length & 0x3fff);
  c.generation = (length >> 14 & 1) != 0;
  const auto header = load_le(raw, 6, 2);
  c.header_length = static_cast<std::uint16_t>(header & 0x3ff);
  c.split = (header >> 11 & 1) != 0;
  c.end_of_packet = (raw[8] >> 1 & 1) != 0;
  c.buffer = BufferId{static_cast<std::uint32_t>(load_le(raw, 12, 2))};
  c.rss_hash = static_cast<std::uint32_t>(load_le(raw, 16, 4));
  return c;
}

Descriptor8 encode_tx_completion(QueueIndex queue, TxEvent event, std::uint16_t value, bool generation) {
  Descriptor8 raw{};
  store_le(raw, 0, 2, (queue.value() & 0x7ffu) | static_cast<unsigned>(event) << 11 | bit(generation, 15));
  store_le(raw, 2, 2, value);
  return raw;
}

std::optional<TxAssembler::Result> TxAssembler::add(const Descriptor16& raw) {
  ++current_.packet.descriptors;
  const std::uint8_t type = raw[8] & 0x1f;
  if (type == type_packet) {
    piece(raw);
    const bool end = (raw[8] >> 5 & 1) != 0;
    if (!end) return std::nullopt;
    auto& p = current_.packet;
    const auto limit = p.mss > 0 ? max_tso_pieces : max_pieces;
    if (p.pieces.size() > limit || p.size.count() > max_size || Bytes{p.header_length} > p.size) current_.bad = true;
    return std::exchange(current_, {});
  }
  if (type == type_tso) {
    context(raw);
  } else if (type != type_general) {
    current_.bad = true;
  }
  return std::nullopt;
}

void TxAssembler::context(const Descriptor16& raw) {
  auto& p = current_.packet;
  if (!p.pieces.empty() || p.mss > 0) current_.bad = true;
  p.mss = static_cast<std::uint16_t>(load_le(raw, 4, 2) & 0x3fff);
  p.header_length = raw[6];
  if (p.mss < min_mss || p.mss > max_mss || p.header_length == 0) current_.bad = true;
}

void TxAssembler::piece(const Descriptor16& raw) {
  auto& p = current_.packet;
  const Bytes size{static_cast<std::int64_t>(load_le(raw, 14, 2) & 0x3fff)};
  if (size == Bytes{0}) current_.bad = true;
  if (p.pieces.size() > max_tso_pieces) {  // a guest that never ends its packet costs no more memory
    current_.bad = true;
  } else {
    p.pieces.push_back({BusAddress{load_le(raw, 0, 8)}, size});
  }
  p.size += size;
  p.checksum_offload = p.checksum_offload || (raw[8] >> 6 & 1) != 0;
  p.report_event = p.report_event || (raw[8] >> 7 & 1) != 0;
  p.tag = static_cast<std::uint16_t>(load_le(raw, 12, 2));
}

}  // namespace peerpath::nic::gve
