#include "transport/tcp/frame.hpp"

#include <algorithm>

#include "peerpath/net/checksum.hpp"

namespace peerpath::tcp {
namespace {

constexpr std::size_t ethernet = 14, ipv4 = 20, tcp = 20;
constexpr std::size_t to_tcp = ethernet + ipv4;

enum Option : std::uint8_t { end_of_list, no_operation, mss, window_scale, sack_permitted, sack = 5, timestamps = 8 };

struct Writer {
  std::uint8_t* at;
  template <int N>
  Writer& put(std::uint64_t value) {
    for (int i = N - 1; i >= 0; --i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
    return *this;
  }
};

std::uint32_t read(std::span<const std::uint8_t> bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | bytes[at + static_cast<std::size_t>(i)];
  return value;
}

void put_timestamps(Writer& w, const Segment& s) { w.put<1>(timestamps).put<1>(10).put<4>(s.timestamp).put<4>(s.echo); }

/// In the order and with the padding of Linux.
void put_options(Writer w, const Segment& s) {
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
  sum.add16(6);
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
    const auto body = at + 2;
    if (options[at] == mss && size == 4) s.mss = static_cast<std::uint16_t>(read(options, body, 2));
    if (options[at] == window_scale && size == 3) s.scale = std::min<std::uint8_t>(options[body], 14);
    if (options[at] == sack_permitted && size == 2) s.sack_permitted = true;
    if (options[at] == timestamps && size == 10) {
      s.timestamps = true;
      s.timestamp = read(options, body, 4);
      s.echo = read(options, body + 4, 4);
    }
    if (options[at] == sack && size % 8 == 2) {
      s.blocks = static_cast<std::uint8_t>(std::min(most_blocks, size / 8));
      for (std::size_t i = 0; i < s.blocks; ++i)
        s.sack[i] = {read(options, body + 8 * i, 4), read(options, body + 8 * i + 4, 4)};
    }
    at += size;
  }
  return true;
}

}  // namespace

std::vector<std::uint8_t> encode(const Segment& s, const Addresses& a, std::span<const std::uint8_t> payload) {
  const std::size_t size = frame_size(s), header = header_size(s);
  std::vector<std::uint8_t> frame(size);
  std::ranges::copy(a.destination_mac, frame.begin());
  std::ranges::copy(a.source_mac, frame.begin() + 6);
  Writer w{frame.data() + 12};
  w.put<2>(0x0800).put<1>(0x45).put<1>(a.ecn).put<2>(size - ethernet);
  w.put<4>(0x4000).put<1>(64).put<1>(6).put<2>(0).put<4>(a.source_ip).put<4>(a.destination_ip);
  w.put<2>(a.source_port).put<2>(a.destination_port).put<4>(s.sequence).put<4>(s.acknowledgement);
  w.put<1>(header / 4 << 4).put<1>(s.flags).put<2>(s.window).put<4>(0);
  put_options(w, s);
  std::ranges::copy(payload.first(std::min<std::size_t>(payload.size(), s.length)),
                    frame.begin() + static_cast<std::ptrdiff_t>(to_tcp + header));
  net::InternetChecksum ip;
  ip.add(std::span{frame}.subspan(ethernet, ipv4));
  Writer{frame.data() + ethernet + 10}.put<2>(ip.value());
  Writer{frame.data() + to_tcp + 16}.put<2>(sum_of(frame, size).value());
  return frame;
}

Decoded decode(std::span<const std::uint8_t> frame) {
  Decoded out;
  const auto fails = [&](DecodeError error) {
    out.error = error;
    return out;
  };
  if (frame.size() < to_tcp + tcp || read(frame, 12, 2) != 0x0800 || frame[ethernet] != 0x45 ||
      frame[ethernet + 9] != 6)
    return fails(DecodeError::not_tcp);
  const auto end = ethernet + read(frame, ethernet + 2, 2);  // Ethernet padding may follow
  const std::size_t header = std::size_t{frame[to_tcp + 12]} >> 4 << 2;
  if (end > frame.size() || header < tcp || to_tcp + header > end) return fails(DecodeError::truncated);
  auto& a = out.addresses;
  std::copy_n(frame.begin(), 6, a.destination_mac.begin());
  std::copy_n(frame.begin() + 6, 6, a.source_mac.begin());
  a.ecn = frame[ethernet + 1] & 3;
  a.source_ip = read(frame, ethernet + 12, 4);
  a.destination_ip = read(frame, ethernet + 16, 4);
  a.source_port = static_cast<std::uint16_t>(read(frame, to_tcp, 2));
  a.destination_port = static_cast<std::uint16_t>(read(frame, to_tcp + 2, 2));
  auto& s = out.segment;
  s.sequence = read(frame, to_tcp + 4, 4);
  s.acknowledgement = read(frame, to_tcp + 8, 4);
  s.flags = frame[to_tcp + 13];
  s.window = static_cast<std::uint16_t>(read(frame, to_tcp + 14, 2));
  if (!take_options(frame.subspan(to_tcp + tcp, header - tcp), s)) return fails(DecodeError::bad_option);
  out.payload = frame.subspan(to_tcp + header, end - to_tcp - header);
  s.length = static_cast<std::uint32_t>(out.payload.size());
  if (sum_of(frame, end).folded() != 0xffff) return fails(DecodeError::bad_checksum);
  return out;
}

}  // namespace peerpath::tcp
