#include "transport/traffic/pattern_stream.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/byte_order.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/net/ethernet.hpp"

namespace peerpath::transport {
namespace {

constexpr std::size_t ip_offset = 14, ip_length = ip_offset + 2, ip_checksum = ip_offset + 10;
constexpr Bytes ip_and_tcp_headers{52};

/// Changes the length of the IP packet and keeps its header checksum right (RFC 1624, equation 3).
void set_length(net::HeaderBytes& h, unsigned length) {
  const auto old = static_cast<unsigned>(load_be(h.data, ip_length, 2));
  if (old == length) return;
  unsigned sum = (~static_cast<unsigned>(load_be(h.data, ip_checksum, 2)) & 0xffff) + (~old & 0xffff) + length;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  store_be(h.data, ip_length, 2, length);
  store_be(h.data, ip_checksum, 2, ~sum);
}

}  // namespace

PatternStream::PatternStream(FramePattern pattern, Random random)
    : pattern_{std::move(pattern)},
      arrivals_{{pattern_.rate, pattern_.arrival, pattern_.burst, pattern_.start}, random},
      headers_(pattern_.flows),
      last_payload_(pattern_.flows) {
  require(pattern_.flows > 0 && !pattern_.payloads.empty(), "a pattern has a flow and a size");
  require(std::ranges::all_of(pattern_.payloads, [](Bytes n) { return n >= Bytes{0} && n.count() + 52 < 65536; }),
          "the payload of a frame fits into one IP packet");
}

std::optional<TimedFrame> PatternStream::next() {
  return pattern_.count != 0 && sent_ == pattern_.count ? std::nullopt : make();
}

std::optional<TimedFrame> PatternStream::make() {
  const Bytes payload = pattern_.payloads[size_];
  auto& header = headers_[flow_];
  if (header.size == 0) {
    header = net::build({.key = net::generated_flow(pattern_.first_flow + flow_), .payload = payload});
  } else {
    net::advance_tcp_sequence(header, last_payload_[flow_]);
    set_length(header, static_cast<unsigned>((ip_and_tcp_headers + payload).count()));
  }
  last_payload_[flow_] = payload;

  std::optional<TimedFrame> result{std::in_place};
  auto& timed = *result;
  timed.frame.handle = frame_handle(pattern_.stream, static_cast<std::uint64_t>(sent_++));
  timed.frame.header_size = header.size;
  std::ranges::copy(header.bytes(), timed.frame.header);
  timed.frame.size = net::padded(Bytes{header.size} + payload);
  timed.ready = arrivals_.next(net::wire_size(timed.frame.size));
  flow_ = flow_ + 1 == pattern_.flows ? 0 : flow_ + 1;
  size_ = size_ + 1 == pattern_.payloads.size() ? 0 : size_ + 1;
  return result;
}

}  // namespace peerpath::transport
