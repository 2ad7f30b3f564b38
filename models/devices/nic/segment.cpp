#include "devices/nic/segment.hpp"

#include <algorithm>

#include "peerpath/base/byte_order.hpp"
#include "peerpath/net/checksum.hpp"

namespace peerpath::nic {
namespace {

void rewrite_ipv4(net::HeaderBytes& header, std::size_t ip, unsigned length, unsigned index) {
  store_be(header.data, ip + 2, 2, length);
  store_be(header.data, ip + 4, 2, load_be(header.data, ip + 4, 2) + index);
  store_be(header.data, ip + 10, 2, 0);
  net::InternetChecksum sum;
  const auto size = static_cast<std::size_t>(header.data[ip] & 15) * 4;
  sum.add(header.bytes().subspan(ip, size));
  store_be(header.data, ip + 10, 2, sum.value());
}

}  // namespace

Segmenter::Segmenter(const net::HeaderBytes& header, Bytes payload, Bytes mss)
    : header_{header}, payload_{payload}, mss_{mss} {
  if (payload <= mss || mss == Bytes{0}) return;
  parsed_ = net::parse(header.bytes(), Bytes{header.size} + payload);
  // A super-packet's IP length may be 0 or stand for all of it; only the layout of the headers counts here.
  if (parsed_.key.layer4 == net::Layer4::tcp || parsed_.key.layer4 == net::Layer4::udp)
    count_ = static_cast<int>((payload.count() + mss.count() - 1) / mss.count());
}

Segmenter::Segment Segmenter::at(int index) const {
  if (count_ == 1) return {header_, Bytes{0}, payload_};
  Segment segment{header_, mss_ * index, std::min(mss_, payload_ - mss_ * index)};
  auto& header = segment.header;
  const std::size_t ip = parsed_.ip_offset, layer4 = parsed_.layer4_offset;
  const auto ip_length = static_cast<unsigned>(header.size - ip + static_cast<std::size_t>(segment.payload.count()));
  if (parsed_.key.layer3 == net::Layer3::ipv4)
    rewrite_ipv4(header, ip, ip_length, static_cast<unsigned>(index));
  else
    store_be(header.data, ip + 4, 2, ip_length - 40);
  if (parsed_.key.layer4 == net::Layer4::udp) {
    store_be(header.data, layer4 + 4, 2,
             static_cast<unsigned>(header.size - layer4 + static_cast<std::size_t>(segment.payload.count())));
    return segment;
  }
  const auto sequence = parsed_.tcp_sequence + static_cast<std::uint32_t>(segment.offset.count());
  store_be(header.data, layer4 + 4, 4, sequence);
  if (index + 1 < count_)
    header.data[layer4 + 13] = static_cast<std::uint8_t>(header.data[layer4 + 13] & ~(net::tcp_fin | net::tcp_psh));
  return segment;
}

}  // namespace peerpath::nic
