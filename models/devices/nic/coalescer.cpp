#include "devices/nic/coalescer.hpp"

#include <algorithm>

#include "peerpath/base/byte_order.hpp"
#include "peerpath/net/checksum.hpp"

namespace peerpath::nic {
namespace {

using Bytes8 = std::span<const std::uint8_t>;

std::uint16_t identification(Bytes8 frame, const net::ParsedFrame& p) {
  return static_cast<std::uint16_t>(load_be(frame, p.ip_offset + 4u, 2));
}
bool is_v4(const net::ParsedFrame& p) { return p.key.layer3 == net::Layer3::ipv4; }
bool dont_fragment(Bytes8 frame, const net::ParsedFrame& p) { return (frame[p.ip_offset + 6] & 0x40) != 0; }
std::size_t payload_of(const net::ParsedFrame& p) { return static_cast<std::size_t>(p.payload.count()); }

/// A segment that may begin a merge: nothing but data and an acknowledgement, and no IP options.
bool mergeable(Bytes8, const net::ParsedFrame& p) {
  constexpr std::uint8_t ack = 0x10;
  const std::size_t ip_header = is_v4(p) ? 20 : 40;
  return p.error == net::ParseError::none && p.key.layer4 == net::Layer4::tcp && !p.fragment && !p.ipv6_extension &&
         p.layer4_offset == p.ip_offset + ip_header && (p.tcp_flags & ~net::tcp_psh) == ack && p.payload > Bytes{0};
}

/// Bytes [from, to) are the same in both.
bool same(Bytes8 a, Bytes8 b, std::size_t from, std::size_t to) {
  return std::ranges::equal(a.subspan(from, to - from), b.subspan(from, to - from));
}

/// The headers, but for lengths, identification, checksums, sequence number, PSH and window.
bool same_headers(Bytes8 a, Bytes8 b, const net::ParsedFrame& p) {
  const std::size_t ip = p.ip_offset, tcp = p.layer4_offset;
  const bool ip_same = is_v4(p) ? same(a, b, 0, ip + 2) && same(a, b, ip + 6, ip + 10) && same(a, b, ip + 12, tcp)
                                : same(a, b, 0, ip + 4) && same(a, b, ip + 6, tcp);
  return ip_same && same(a, b, tcp, tcp + 4) && same(a, b, tcp + 8, tcp + 13) && same(a, b, tcp + 18, p.header_length);
}

}  // namespace

bool Coalescer::fits(const Held& held, Bytes8 frame, const net::ParsedFrame& p) {
  if (p.header_length != held.parsed.header_length || p.tcp_sequence != held.next_sequence) return false;
  if (payload_of(p) > held.segment || !same_headers(held.frame, frame, p)) return false;
  if (held.frame.size() - p.header_length + payload_of(p) > most_payload) return false;
  if (!is_v4(p)) return true;
  const std::uint16_t id = identification(frame, p);
  const bool counts = id == static_cast<std::uint16_t>(held.last_id + 1), stays = id == held.last_id;
  if (!dont_fragment(frame, p)) return counts;
  return held.id_known ? (held.id_counts ? counts : stays) : counts || stays;
}

void Coalescer::append(Held& held, Bytes8 frame, const net::ParsedFrame& p) {
  const auto payload = frame.subspan(p.header_length, payload_of(p));
  held.frame.insert(held.frame.end(), payload.begin(), payload.end());
  held.next_sequence += static_cast<std::uint32_t>(payload.size());
  ++held.count;
  if (is_v4(p)) {
    const std::uint16_t id = identification(frame, p);
    held.id_counts = id != held.last_id;
    held.id_known = true;
    held.last_id = id;
  }
  held.frame[p.layer4_offset + 13u] =
      static_cast<std::uint8_t>(held.frame[p.layer4_offset + 13u] | (p.tcp_flags & net::tcp_psh));
}

void Coalescer::let_go(Held& held, const Deliver& deliver) {
  if (held.count == 1) return deliver(held.frame, 0);
  const auto& p = held.parsed;
  const std::size_t ip = p.ip_offset, size = held.frame.size() - ip;
  if (is_v4(p)) {
    store_be(held.frame, ip + 2, 2, size);
    store_be(held.frame, ip + 10, 2, 0);
    net::InternetChecksum sum;
    sum.add(std::span{held.frame}.subspan(ip, 20));
    store_be(held.frame, ip + 10, 2, sum.value());
  } else {
    store_be(held.frame, ip + 4, 2, size - 40);
  }
  deliver(held.frame, static_cast<std::uint16_t>(held.segment));
}

void Coalescer::take(Bytes8 frame, const net::ParsedFrame& p, const Deliver& deliver) {
  const auto flow = std::ranges::find_if(held_, [&](const Held& h) {
    const auto& k = h.parsed.key;  // a flow is its addresses and ports; another TOS is still the same flow
    return k.layer3 == p.key.layer3 && k.source == p.key.source && k.destination == p.key.destination &&
           k.source_port == p.key.source_port && k.destination_port == p.key.destination_port;
  });
  const bool can = mergeable(frame, p);
  if (flow != held_.end()) {
    const bool joins = can && fits(*flow, frame, p);
    if (joins) append(*flow, frame, p);
    const bool ends = !joins || payload_of(p) < flow->segment || (p.tcp_flags & net::tcp_psh) != 0 ||
                      flow->frame.size() - p.header_length + flow->segment > most_payload;
    if (ends) {
      auto held = std::move(*flow);
      held_.erase(flow);
      let_go(held, deliver);
    }
    if (joins) return;
  }
  if (!can || (p.tcp_flags & net::tcp_psh) != 0 || payload_of(p) > most_payload) return deliver(frame, 0);
  if (held_.size() >= most_flows) flush_oldest(deliver);
  Held held;
  const auto whole = frame.first(p.header_length + payload_of(p));
  held.frame.assign(whole.begin(), whole.end());
  held.parsed = p;
  held.segment = payload_of(p);
  held.next_sequence = p.tcp_sequence + static_cast<std::uint32_t>(held.segment);
  if (is_v4(p)) held.last_id = identification(frame, p);
  held_.push_back(std::move(held));
}

void Coalescer::flush_oldest(const Deliver& deliver) {
  if (held_.empty()) return;
  auto oldest = std::move(held_.front());
  held_.pop_front();
  let_go(oldest, deliver);
}

}  // namespace peerpath::nic
