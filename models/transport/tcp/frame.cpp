#include "transport/tcp/frame.hpp"

#include <algorithm>

#include "peerpath/net/checksum.hpp"
#include "peerpath/net/ipv4_frame.hpp"

namespace peerpath::tcp {
namespace {

using net::FieldReader, net::FieldWriter;

constexpr std::size_t ethernet = net::EthernetHeader::size, to_tcp = net::Ipv4Frame::headers, tcp = 20;

enum Option : std::uint8_t { end_of_list, no_operation, mss, window_scale, sack_permitted, sack = 5, timestamps = 8 };

void put_timestamps(FieldWriter& w, const Segment& s) {
  w.put<1>(timestamps).put<1>(10).put<4>(s.timestamp).put<4>(s.echo);
}

/// In the order and with the padding of Linux.
void put_options(FieldWriter w, const Segment& s) {
  if (s.has(flag::syn)) {
    w.put<1>(mss).put<1>(4).put<2>(s.mss);
    if (s.timestamps) {
      if (s.sack_permitted)
        w.put<1>(sack_permitted).put<1>(2);
      else
        w.put<1>(no_operation).put<1>(no_operation);
      put_timestamps(w, s);
    } else if (s.sack_permitted) {
      w.put<1>(no_operation).put<1>(no_operation).put<1>(sack_permitted).put<1>(2);
    }
    w.put<1>(no_operation).put<1>(window_scale).put<1>(3).put<1>(s.scale);
    return;
  }
  if (s.timestamps) {
    w.put<1>(no_operation).put<1>(no_operation);
    put_timestamps(w, s);
  }
  if (s.blocks == 0) return;
  w.put<1>(no_operation).put<1>(no_operation).put<1>(sack).put<1>(2 + 8u * s.blocks);
  for (std::size_t i = 0; i < s.blocks; ++i) w.put<4>(s.sack[i].begin).put<4>(s.sack[i].end);
}

/// Over the pseudo-header and all that follows the IP header.
net::InternetChecksum sum_of(std::span<const std::uint8_t> frame, std::size_t end) {
  net::InternetChecksum sum;
  sum.add(frame.subspan(ethernet + 12, 8));
  sum.add16(net::protocol_tcp);
  sum.add16(static_cast<std::uint16_t>(end - to_tcp));
  sum.add(frame.subspan(to_tcp, end - to_tcp));
  return sum;
}

bool take_options(std::span<const std::uint8_t> options, Segment& s) {
  std::size_t at = 0;
  while (at < options.size() && options[at] != end_of_list) {
    if (options[at] == no_operation) {
      ++at;
      continue;
    }
    if (at + 2 > options.size()) return false;
    const std::size_t size = options[at + 1];
    if (size < 2 || at + size > options.size()) return false;
    FieldReader from{options.data() + at + 2};
    if (options[at] == mss && size == 4) s.mss = from.take<2>();
    if (options[at] == window_scale && size == 3) s.scale = std::min<std::uint8_t>(from.take<1>(), 14);
    if (options[at] == sack_permitted && size == 2) s.sack_permitted = true;
    if (options[at] == timestamps && size == 10) {
      s.timestamps = true;
      s.timestamp = from.take<4>();
      s.echo = from.take<4>();
    }
    if (options[at] == sack && size % 8 == 2) {
      s.blocks = static_cast<std::uint8_t>(std::min(most_blocks, size / 8));
      for (std::size_t i = 0; i < s.blocks; ++i) s.sack[i] = {from.take<4>(), from.take<4>()};
    }
    at += size;
  }
  return true;
}

}  // namespace

std::vector<std::uint8_t> encode(const Segment& s, const Addresses& a, std::span<const std::uint8_t> payload) {
  const std::size_t size = frame_size(s), header = header_size(s);
  std::vector<std::uint8_t> frame(size);
  FieldWriter w{frame.data()};
  write(w, net::EthernetHeader{a.destination_mac, a.source_mac});
  write(w, net::Ipv4Header{a.ecn, static_cast<std::uint16_t>(size - ethernet), 0, net::protocol_tcp, a.source_ip,
                           a.destination_ip});
  w.put<2>(a.source_port).put<2>(a.destination_port).put<4>(s.sequence).put<4>(s.acknowledgement);
  w.put<1>(header / 4 << 4).put<1>(s.flags).put<2>(s.window).put<4>(0);
  put_options(w, s);
  std::ranges::copy(payload.first(std::min<std::size_t>(payload.size(), s.length)),
                    frame.begin() + static_cast<std::ptrdiff_t>(to_tcp + header));
  FieldWriter{frame.data() + to_tcp + 16}.put<2>(sum_of(frame, size).value());
  return frame;
}

Decoded decode(std::span<const std::uint8_t> frame) {
  Decoded out;
  const auto fails = [&](DecodeError error) {
    out.error = error;
    return out;
  };
  const auto head = net::read_ipv4_frame(frame);
  if (!head || head->ip.protocol != net::protocol_tcp || frame.size() < to_tcp + tcp)
    return fails(DecodeError::not_tcp);
  const auto end = ethernet + head->ip.length;  // Ethernet padding may follow
  const std::size_t header = std::size_t{frame[to_tcp + 12]} >> 4 << 2;
  if (end > frame.size() || header < tcp || to_tcp + header > end) return fails(DecodeError::truncated);
  auto& a = out.addresses;
  a.destination_mac = head->ethernet.destination;
  a.source_mac = head->ethernet.source;
  a.ecn = head->ip.traffic_class & 3;
  a.source_ip = head->ip.source;
  a.destination_ip = head->ip.destination;
  FieldReader from{frame.data() + to_tcp};
  a.source_port = from.take<2>();
  a.destination_port = from.take<2>();
  auto& s = out.segment;
  s.sequence = from.take<4>();
  s.acknowledgement = from.take<4>();
  s.flags = from.skip(1).take<1>();
  s.window = from.take<2>();
  if (!take_options(frame.subspan(to_tcp + tcp, header - tcp), s)) return fails(DecodeError::bad_option);
  out.payload = frame.subspan(to_tcp + header, end - to_tcp - header);
  s.length = static_cast<std::uint32_t>(out.payload.size());
  if (sum_of(frame, end).folded() != 0xffff) return fails(DecodeError::bad_checksum);
  return out;
}

}  // namespace peerpath::tcp
