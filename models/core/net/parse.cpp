#include <algorithm>

#include "peerpath/net/checksum.hpp"
#include "peerpath/net/headers.hpp"
#include "peerpath/net/ipv4_frame.hpp"

namespace peerpath::net {
namespace {

constexpr std::uint16_t ethertype_vlan = 0x8100, ethertype_service_vlan = 0x88a8;
constexpr int max_extension_headers = 8;  ///< a parser in hardware gives up at some depth

/// Reads big-endian fields; whoever asks has checked `has` first.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}
  bool has(std::size_t at, std::size_t n) const { return at <= bytes_.size() && n <= bytes_.size() - at; }
  std::uint8_t u8(std::size_t at) const { return bytes_[at]; }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(bytes_[at] << 8 | bytes_[at + 1]); }
  std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(u16(at)) << 16 | u16(at + 2); }
  std::span<const std::uint8_t> piece(std::size_t at, std::size_t n) const { return bytes_.subspan(at, n); }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// One pass from the Ethernet header inwards.
class Parser {
 public:
  Parser(std::span<const std::uint8_t> bytes, Bytes frame, ParsedFrame& out)
      : in_{bytes}, frame_{frame.count()}, out_{out} {}

  void run() {
    ethernet();
    out_.header_length = static_cast<std::uint16_t>(std::min<std::size_t>(at_, 0xffff));
    const std::int64_t payload = end_ - static_cast<std::int64_t>(at_);
    if (payload < 0 && out_.error == ParseError::none) out_.error = ParseError::truncated;
    out_.payload = Bytes{std::max<std::int64_t>(payload, 0)};
  }

 private:
  void refuse(ParseError error) { out_.error = error; }

  void ethernet() {
    end_ = frame_;
    if (!in_.has(0, 14)) return refuse(ParseError::truncated);
    std::size_t type_at = 12;
    for (int tags = 0; tags < 2; ++tags) {
      const auto type = in_.u16(type_at);
      if (type != ethertype_vlan && type != ethertype_service_vlan) break;
      if (!in_.has(type_at + 4, 2)) return refuse(ParseError::truncated);
      type_at += 4;
    }
    at_ = type_at + 2;
    const auto type = in_.u16(type_at);
    if (type == ethertype_ipv4) ipv4();
    if (type == ethertype_ipv6) ipv6();
  }

  /// The datagram ends where IP says, if the frame holds that much; what follows is padding.
  bool set_end(std::size_t ip, std::int64_t length) {
    if (static_cast<std::int64_t>(ip) + length > frame_) {
      refuse(ParseError::truncated);
      return false;
    }
    end_ = static_cast<std::int64_t>(ip) + length;
    return true;
  }

  void ipv4() {
    const std::size_t ip = at_;
    if (!in_.has(ip, 20)) return refuse(ParseError::truncated);
    const std::size_t length = static_cast<std::size_t>(in_.u8(ip) & 15) * 4;
    const auto total = in_.u16(ip + 2);
    if (in_.u8(ip) >> 4 != 4 || length < 20 || total < length) return refuse(ParseError::bad_header);
    if (!in_.has(ip, length)) return refuse(ParseError::truncated);
    out_.key.layer3 = Layer3::ipv4;
    out_.key.traffic_class = in_.u8(ip + 1);
    std::ranges::copy(in_.piece(ip + 12, 4), out_.key.source.begin());
    std::ranges::copy(in_.piece(ip + 16, 4), out_.key.destination.begin());
    out_.ip_offset = static_cast<std::uint16_t>(ip);
    InternetChecksum sum;
    sum.add(in_.piece(ip, length));
    if (sum.folded() != 0xffff) return refuse(ParseError::bad_ip_checksum);
    if (!set_end(ip, total)) return;
    at_ = ip + length;
    out_.fragment = (in_.u16(ip + 6) & 0x3fff) != 0;  // more fragments, or an offset
    out_.key.layer4 = Layer4::other;
    if (!out_.fragment) layer4(in_.u8(ip + 9));
  }

  void ipv6() {
    const std::size_t ip = at_;
    if (!in_.has(ip, 40)) return refuse(ParseError::truncated);
    if (in_.u8(ip) >> 4 != 6) return refuse(ParseError::bad_header);
    out_.key.layer3 = Layer3::ipv6;
    out_.key.traffic_class = static_cast<std::uint8_t>(in_.u16(ip) >> 4);
    std::ranges::copy(in_.piece(ip + 8, 16), out_.key.source.begin());
    std::ranges::copy(in_.piece(ip + 24, 16), out_.key.destination.begin());
    out_.ip_offset = static_cast<std::uint16_t>(ip);
    if (!set_end(ip, 40 + in_.u16(ip + 4))) return;
    at_ = ip + 40;
    out_.key.layer4 = Layer4::other;
    extensions(in_.u8(ip + 6));
  }

  /// IPv6 extension headers (RFC 8200 section 4): hop-by-hop 0, routing 43, fragment 44, authentication 51, options 60.
  void extensions(std::uint8_t next) {
    for (int i = 0; i < max_extension_headers; ++i) {
      const bool authentication = next == 51;
      if (next != 0 && next != 43 && next != 44 && next != 60 && !authentication) {
        layer4(next);
        return;
      }
      if (!in_.has(at_, 8)) return refuse(ParseError::truncated);
      out_.ipv6_extension = true;
      const std::size_t units = in_.u8(at_ + 1);
      const std::size_t length = next == 44 ? 8 : authentication ? (units + 2) * 4 : (units + 1) * 8;
      if (next == 44 && (in_.u16(at_ + 2) & 0xfff9) != 0) out_.fragment = true;
      if (!in_.has(at_, length)) return refuse(ParseError::truncated);
      next = in_.u8(at_);
      at_ += length;
      if (out_.fragment) return;
    }
  }

  void layer4(std::uint8_t protocol) {
    if (protocol == protocol_tcp) tcp();
    if (protocol == protocol_udp) udp();
  }

  void ports(Layer4 kind) {
    out_.key.layer4 = kind;
    out_.key.source_port = in_.u16(at_);
    out_.key.destination_port = in_.u16(at_ + 2);
    out_.layer4_offset = static_cast<std::uint16_t>(at_);
  }

  void tcp() {
    if (!in_.has(at_, 20)) return refuse(ParseError::truncated);
    const std::size_t length = static_cast<std::size_t>(in_.u8(at_ + 12) >> 4) * 4;
    if (length < 20) return refuse(ParseError::bad_header);
    if (!in_.has(at_, length)) return refuse(ParseError::truncated);
    ports(Layer4::tcp);
    out_.tcp_sequence = in_.u32(at_ + 4);
    out_.tcp_flags = in_.u8(at_ + 13);
    at_ += length;
  }

  void udp() {
    if (!in_.has(at_, 8)) return refuse(ParseError::truncated);
    if (in_.u16(at_ + 4) < 8) return refuse(ParseError::bad_header);
    ports(Layer4::udp);
    at_ += 8;
  }

  Reader in_;
  std::int64_t frame_;
  std::size_t at_ = 0;    ///< end of the headers understood so far
  std::int64_t end_ = 0;  ///< end of the datagram
  ParsedFrame& out_;
};

}  // namespace

ParsedFrame parse(std::span<const std::uint8_t> bytes, Bytes frame) {
  ParsedFrame parsed;
  Parser{bytes, frame, parsed}.run();
  return parsed;
}

}  // namespace peerpath::net
