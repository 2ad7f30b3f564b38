#include "peerpath/net/ipv4_frame.hpp"

#include "peerpath/net/checksum.hpp"

namespace peerpath::net {
namespace {

constexpr unsigned version_4_and_five_words = 0x45, do_not_fragment = 0x4000, hops = 64;
constexpr std::size_t checksum_at = 10;

}  // namespace

void write(FieldWriter& to, const EthernetHeader& header) {
  to.copy(header.destination).copy(header.source).put<2>(header.type);
}

void write(FieldWriter& to, const Ipv4Header& header) {
  auto* const begin = to.at();
  to.put<1>(version_4_and_five_words).put<1>(header.traffic_class).put<2>(header.length);
  to.put<2>(header.identification).put<2>(do_not_fragment).put<1>(hops).put<1>(header.protocol).put<2>(0);
  to.put<4>(header.source).put<4>(header.destination);
  InternetChecksum sum;
  sum.add({begin, Ipv4Header::size});
  FieldWriter{begin + checksum_at}.put<2>(sum.value());
}

std::optional<Ipv4Frame> read_ipv4_frame(std::span<const std::uint8_t> frame) {
  if (frame.size() < Ipv4Frame::headers) return std::nullopt;
  Ipv4Frame out;
  FieldReader from{frame.data()};
  from.copy(out.ethernet.destination).copy(out.ethernet.source);
  out.ethernet.type = from.take<2>();
  if (out.ethernet.type != ethertype_ipv4 || from.take<1>() != version_4_and_five_words) return std::nullopt;
  out.ip.traffic_class = from.take<1>();
  out.ip.length = from.take<2>();
  out.ip.identification = from.take<2>();
  out.ip.protocol = from.skip(3).take<1>();
  out.ip.source = from.skip(2).take<4>();
  out.ip.destination = from.take<4>();
  return out;
}

}  // namespace peerpath::net
