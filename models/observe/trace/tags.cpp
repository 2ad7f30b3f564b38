#include "observe/trace/tags.hpp"

#include <algorithm>

#include "core/pcie/split.hpp"

namespace peerpath::trace {
namespace {

using pcie::TlpClass;

}  // namespace

Bytes Tags::length_of_request(const fabric::TlpRecord& record, const fabric::Transaction& asked) const {
  const auto& endpoint = topology_.nodes[record.requester.value()].endpoint;
  const pcie::SplitRules rules{endpoint.max_payload, endpoint.max_read_request, endpoint.max_completion, false};
  const auto runs = pcie::split_request(rules, asked.op, asked.address, asked.bytes);
  for (const auto& run : runs) {
    const auto offset = record.address - run.first.address;
    const auto size = static_cast<std::uint64_t>(run.first.bytes.count());
    if (record.address >= run.first.address && (size == 0 || offset < size * static_cast<std::uint64_t>(run.count)))
      return run.first.bytes;
  }
  return asked.bytes;
}

void Tags::take(const fabric::TlpRecord& record, const fabric::Transaction& asked, Bytes bytes) {
  auto& requester = requesters_[record.requester];
  std::uint16_t tag = requester.unused;
  if (requester.free.empty()) {
    ++requester.unused;
  } else {
    tag = *requester.free.begin();
    requester.free.erase(requester.free.begin());
  }
  ++requester.taken;
  requests_[{record.cookie, record.address}] = {tag, bytes, bytes};
  if (asked.answer != pcie::Status::no_answer) return;
  const auto& endpoint = topology_.nodes[record.requester.value()].endpoint;
  timeouts_.push({record.start + endpoint.completion_timeout, record.cookie, record.address, record.requester});
}

void Tags::give_back(fabric::NodeId whose, const Key& key) {
  auto& requester = requesters_[whose];
  requester.free.insert(requests_.at(key).tag);
  --requester.taken;
  requests_.erase(key);
}

void Tags::time_out(Instant now) {
  for (; !timeouts_.empty() && timeouts_.top().when <= now; timeouts_.pop()) {
    const Key key{timeouts_.top().number, timeouts_.top().address};
    if (requests_.contains(key)) give_back(timeouts_.top().requester, key);
  }
}

std::size_t Tags::outstanding(fabric::NodeId requester) const {
  const auto found = requesters_.find(requester);
  return found == requesters_.end() ? 0 : found->second.taken;
}

Tlp Tags::complete(const fabric::TlpRecord& record, const fabric::Transaction& asked) {
  time_out(record.start);
  const auto& link = topology_.links[record.link.value()];
  Tlp tlp{.record = record, .asked = asked};
  tlp.from = record.direction == 0 ? link.a : link.b;
  tlp.to = record.direction == 0 ? link.b : link.a;
  Bytes arrived{};
  if (record.tlp_class == TlpClass::completion) {
    tlp.bytes = record.payload;
    auto request = requests_.upper_bound({record.cookie, record.address});
    if (request == requests_.begin() || (--request)->first.first != record.cookie) return tlp;  // timed out meanwhile
    const auto into = static_cast<std::int64_t>(record.address - request->first.second);
    tlp.tag = request->second.tag;
    tlp.request = request->first.second;
    const bool has_data = record.payload.count() > 0;
    tlp.status = has_data || !pcie::completion_has_data(record.op) ? pcie::Status::success
                 : asked.answer == pcie::Status::success           ? pcie::Status::unsupported_request
                                                                   : asked.answer;
    if (!pcie::completion_has_data(record.op) && asked.answer != pcie::Status::no_answer) tlp.status = asked.answer;
    tlp.remaining = has_data ? request->second.bytes - Bytes{into} : Bytes{0};
    const auto lead = static_cast<std::int64_t>(record.address % 4);
    tlp.bytes = has_data ? std::min(record.payload - Bytes{lead}, tlp.remaining) : Bytes{0};
    if (tlp.to != record.requester) return tlp;
    request->second.left -= tlp.bytes;
    arrived = has_data ? tlp.bytes : request->second.bytes;
    if (!has_data || request->second.left <= Bytes{0}) {
      give_back(record.requester, request->first);
      tlp.outstanding = static_cast<std::int64_t>(outstanding(record.requester));
    }
  } else if (record.tlp_class == TlpClass::non_posted) {
    tlp.bytes = length_of_request(record, asked);
    if (tlp.from == record.requester) {
      take(record, asked, tlp.bytes);
      tlp.outstanding = static_cast<std::int64_t>(outstanding(record.requester));
    }
    const auto request = requests_.find({record.cookie, record.address});
    if (request != requests_.end()) tlp.tag = request->second.tag;
    tlp.request = record.address;
    return tlp;
  } else {
    tlp.bytes = length_of_request(record, asked);
    if (!topology_.nodes[tlp.to.value()].is_endpoint) return tlp;
    arrived = tlp.bytes;
  }
  auto& so_far = arrived_[record.cookie];
  so_far += arrived;
  if (so_far >= asked.bytes) {
    tlp.last = true;
    arrived_.erase(record.cookie);
  }
  return tlp;
}

}  // namespace peerpath::trace
