#include "devices/nic/sent_before.hpp"

#include <algorithm>

namespace peerpath::nic {

SentBefore::Key SentBefore::key_of(const net::FlowKey& key) {
  Key out{};
  auto at = std::ranges::copy(key.source, out.begin()).out;
  at = std::ranges::copy(key.destination, at).out;
  for (const unsigned port : {key.source_port, key.destination_port}) {
    *at++ = static_cast<std::uint8_t>(port >> 8);
    *at++ = static_cast<std::uint8_t>(port);
  }
  *at = static_cast<std::uint8_t>(key.layer3);
  return out;
}

bool SentBefore::again(const net::ParsedFrame& parsed, std::int64_t payload) {
  if (parsed.key.layer4 != net::Layer4::tcp || parsed.fragment || payload <= 0) return false;
  const auto key = key_of(parsed.key);
  auto found = flows_.find(key);
  if (found == flows_.end()) {
    if (flows_.size() >= most_flows) flows_.clear();
    found = flows_.try_emplace(key).first;
    found->second.latest = parsed.tcp_sequence;
  }
  auto& flow = found->second;
  // Sequence numbers wrap (RFC 9293 3.4): the nearest to the last one is meant.
  const auto step = static_cast<std::int32_t>(parsed.tcp_sequence - static_cast<std::uint32_t>(flow.latest));
  std::int64_t begin = flow.latest + step, end = begin + payload;
  flow.latest = begin;

  auto next = flow.ranges.upper_bound(begin);
  if (next != flow.ranges.begin()) {
    const auto before = std::prev(next);
    if (before->second >= end) return true;
    if (before->second >= begin) {
      begin = before->first;
      flow.ranges.erase(before);
    }
  }
  while (next != flow.ranges.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = flow.ranges.erase(next);
  }
  flow.ranges[begin] = end;
  if (flow.ranges.size() > most_gaps) flow.ranges.erase(flow.ranges.begin());
  return false;
}

}  // namespace peerpath::nic
