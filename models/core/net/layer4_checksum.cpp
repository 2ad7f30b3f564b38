#include "peerpath/net/layer4_checksum.hpp"

#include "peerpath/net/checksum.hpp"
#include "peerpath/net/ipv4_frame.hpp"

namespace peerpath::net {
namespace {

bool known(const ParsedFrame& p) {
  return p.layer4_offset > 0 && (p.key.layer4 == Layer4::tcp || p.key.layer4 == Layer4::udp);
}

std::size_t field_of(const ParsedFrame& p) { return p.layer4_offset + (p.key.layer4 == Layer4::tcp ? 16u : 6u); }

/// Sum over the pseudo header and `length` bytes of layer 4.
InternetChecksum sum_of(std::span<const std::uint8_t> frame, const ParsedFrame& p, std::size_t length) {
  InternetChecksum sum;
  const std::size_t address = p.key.layer3 == Layer3::ipv4 ? 4 : 16;
  sum.add(std::span{p.key.source}.first(address));
  sum.add(std::span{p.key.destination}.first(address));
  sum.add16(p.key.layer4 == Layer4::tcp ? protocol_tcp : protocol_udp);
  sum.add16(static_cast<std::uint16_t>(length >> 16));
  sum.add16(static_cast<std::uint16_t>(length));
  sum.add(frame.subspan(p.layer4_offset, length));
  return sum;
}

}  // namespace

Layer4Checksum check_layer4(std::span<const std::uint8_t> frame, const ParsedFrame& p) {
  if (!known(p) || p.error != ParseError::none) return Layer4Checksum::unknown;
  std::size_t length = static_cast<std::size_t>(p.header_length - p.layer4_offset + p.payload.count());
  if (length > frame.size() - p.layer4_offset) return Layer4Checksum::unknown;
  if (p.key.layer4 == Layer4::udp) {
    const std::size_t at = p.layer4_offset;
    const std::size_t said = static_cast<std::size_t>(frame[at + 4] << 8 | frame[at + 5]);
    if (said > length) return Layer4Checksum::unknown;
    length = said;
    if (frame[at + 6] == 0 && frame[at + 7] == 0)
      return p.key.layer3 == Layer3::ipv4 ? Layer4Checksum::absent : Layer4Checksum::bad;
  }
  return sum_of(frame, p, length).folded() == 0xffff ? Layer4Checksum::good : Layer4Checksum::bad;
}

void fill_layer4(std::span<std::uint8_t> frame, const ParsedFrame& p, std::size_t length) {
  if (!known(p)) return;
  const std::size_t field = field_of(p);
  if (field + 2 > frame.size() || length > frame.size() - p.layer4_offset || field + 2 > p.layer4_offset + length)
    return;
  frame[field] = frame[field + 1] = 0;
  auto value = sum_of(frame, p, length).value();
  if (value == 0 && p.key.layer4 == Layer4::udp) value = 0xffff;
  frame[field] = static_cast<std::uint8_t>(value >> 8);
  frame[field + 1] = static_cast<std::uint8_t>(value);
}

}  // namespace peerpath::net
