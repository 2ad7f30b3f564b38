#include "fabric/check/protocol_checker.hpp"

#include <algorithm>

#include "core/pcie/split.hpp"

namespace peerpath::fabric {
namespace {

using pcie::TlpClass;

constexpr std::uint64_t page = 4096, boundary = 64;

std::size_t index_of(TlpClass c) { return static_cast<std::size_t>(c); }

}  // namespace

ProtocolChecker::ProtocolChecker(const Topology& topology, Asked asked, bool still)
    : topology_{topology}, wiring_{topology}, asked_{std::move(asked)}, buffers_(topology.links.size() * 4) {
  if (still && WorkConservation::applies(topology)) conservation_.emplace(topology);
}

NodeId ProtocolChecker::from(const TlpRecord& tlp) const {
  const Link& link = topology_.links[tlp.link.value()];
  return tlp.direction == 0 ? link.a : link.b;
}

NodeId ProtocolChecker::to(const TlpRecord& tlp) const {
  const Link& link = topology_.links[tlp.link.value()];
  return tlp.direction == 0 ? link.b : link.a;
}

void ProtocolChecker::add(ProtocolRule rule, const TlpRecord& tlp, const std::string& what) {
  violations_.push_back({rule, std::string{name_of(rule)} + ": " + std::string{name_of(tlp.tlp_class)} + " TLP of " +
                                   node(tlp.requester).name + " on the link " + node(from(tlp)).name + " -> " +
                                   node(to(tlp)).name + " at " + std::to_string(femtoseconds(tlp.start)) + " fs " +
                                   what});
}

void ProtocolChecker::see(const TlpRecord& tlp) {
  if (node(from(tlp)).is_endpoint) check_size(tlp);
  check_channel(tlp);
  if (!topology_.strays) check_tags(tlp);
  if (node(from(tlp)).is_endpoint) line_free_[from(tlp)] = tlp.end;
  if (conservation_)
    if (const auto could = conservation_->late(tlp, asked_(tlp.cookie)))
      add(ProtocolRule::work_conservation, tlp,
          "could have started at " + std::to_string(femtoseconds(*could)) + " fs, and the line was idle");
  if (!node(from(tlp)).is_endpoint) leave(tlp);
  if (!node(to(tlp)).is_endpoint) enter(tlp);
}

void ProtocolChecker::check_size(const TlpRecord& tlp) {
  const Bytes most = node(sender(tlp)).endpoint.max_payload;
  if (tlp.payload > most && tlp.op != pcie::Operation::atomic)
    add(ProtocolRule::max_payload, tlp, "carries " + std::to_string(tlp.payload.count()) + " B");
  const std::uint64_t begin = tlp.address & ~std::uint64_t{3};
  const bool splits = tlp.op == pcie::Operation::memory_write || tlp.op == pcie::Operation::memory_read;
  if (splits && begin % page + static_cast<std::uint64_t>(tlp.payload.count()) > page)
    add(ProtocolRule::page_crossing, tlp, "crosses a 4 KiB boundary");
  const bool data = tlp.tlp_class == TlpClass::completion && tlp.payload > Bytes{0};
  if (data && tlp.address % boundary != 0 && tlp.address != asked_(tlp.cookie).address)
    add(ProtocolRule::completion_boundary, tlp, "begins between two boundaries");
}

void ProtocolChecker::check_channel(const TlpRecord& tlp) {
  const int traffic_class = asked_(tlp.cookie).traffic_class;
  if (tlp.channel != topology_.links[tlp.link.value()].channel(traffic_class))
    add(ProtocolRule::virtual_channel, tlp,
        "of traffic class " + std::to_string(traffic_class) + " is on VC " + std::to_string(tlp.channel));
}

/// A request holds its tag from its start until its last completion has come to the requester, or the timeout. That
/// counts from the first time that the request is sent; of one that was replayed only the last time is seen, so the
/// first is taken to be as early as the line allowed.
void ProtocolChecker::check_tags(const TlpRecord& tlp) {
  const Transaction& asked = asked_(tlp.cookie);
  auto& back = tags_back_[tlp.requester];
  int& out = tags_out_[tlp.requester];
  if (tlp.tlp_class == TlpClass::non_posted && from(tlp) == tlp.requester) {
    for (; !back.empty() && back.begin()->first <= tlp.start; back.erase(back.begin())) --out;
    const Endpoint& endpoint = node(tlp.requester).endpoint;
    if (++out > endpoint.tags) add(ProtocolRule::tag_reuse, tlp, "is one more than there are tags");
    if (asked.answer == pcie::Status::no_answer && !node(tlp.target).endpoint.external)
      back.emplace(line_free_[tlp.requester] + endpoint.completion_timeout, 0);
  } else if (tlp.tlp_class == TlpClass::completion && to(tlp) == tlp.requester) {
    const auto step = static_cast<std::uint64_t>(node(tlp.requester).endpoint.max_read_request.count());
    const std::uint64_t end = asked.address + static_cast<std::uint64_t>(asked.bytes.count());
    const std::uint64_t last = std::min(end, tlp.address / step * step + step);
    const std::uint64_t reached = (tlp.address & ~std::uint64_t{3}) + static_cast<std::uint64_t>(tlp.payload.count());
    if (tlp.payload == Bytes{0} || reached >= last || asked.op != pcie::Operation::memory_read)
      back.emplace(tlp.end, 0);
  }
}

void ProtocolChecker::enter(const TlpRecord& tlp) {
  const std::size_t c = index_of(tlp.tlp_class);
  const auto number = tlp.link.value() * 2u + static_cast<unsigned>(tlp.direction);
  Buffer& buffer = buffers_[number * 2 + static_cast<unsigned>(tlp.channel)];
  const LinkDirection& direction = topology_.links[number / 2].direction[number % 2];
  const Credits& credits = (tlp.channel == 0 ? direction.credits : direction.vc1_credits)[c];
  auto& left = buffer.left[c];
  while (!left.empty() && left.front().free <= tlp.start) left.pop_front();
  buffer.waiting[c].push_back({tlp, buffer.entered++, units_of(tlp)});
  std::size_t headers = left.size() + buffer.waiting[c].size();
  int data = 0;
  for (const Left& one : left) data += one.units;
  for (const Waiting& one : buffer.waiting[c]) data += one.units;
  if ((credits.header > 0 && headers > static_cast<std::size_t>(credits.header)) ||
      (credits.data > 0 && data > credits.data))
    add(ProtocolRule::credit_overrun, tlp,
        "is in a buffer with " + std::to_string(headers) + " TLPs and " + std::to_string(data) + " units of data");
}

void ProtocolChecker::leave(const TlpRecord& tlp) {
  const std::size_t c = index_of(tlp.tlp_class);
  for (std::size_t i = 0; i < 2 * wiring_.ports(from(tlp)).size(); ++i) {
    const Port& port = wiring_.ports(from(tlp))[i / 2];
    const auto incoming = port.link.value() * 2u + static_cast<unsigned>(1 - port.outgoing);
    Buffer& buffer = buffers_[incoming * 2 + i % 2];
    auto& waiting = buffer.waiting[c];
    const auto found = std::ranges::find_if(waiting, [&](const Waiting& w) { return same(w.tlp, tlp); });
    if (found == waiting.end()) continue;
    const auto outgoing = tlp.link.value() * 2u + static_cast<unsigned>(tlp.direction);
    check_passing(tlp, found->number, buffer.lanes[outgoing * 2 + static_cast<unsigned>(tlp.channel)]);
    const Duration update_fc = topology_.links[incoming / 2].direction[incoming % 2].update_fc;
    auto& left = buffer.left[c];
    const Left gone{tlp.end + update_fc, found->units};
    left.insert(std::ranges::upper_bound(left, gone.free, {}, &Left::free), gone);
    waiting.erase(found);
    return;
  }
  add(ProtocolRule::ordering, tlp, "leaves a router that it has not entered");
}

/// Whether one that entered later and leaves by the same channel of the same port has left before, without leave.
void ProtocolChecker::check_passing(const TlpRecord& tlp, std::uint64_t number, Lane& lane) {
  std::uint64_t& last = lane.left[index_of(tlp.tlp_class)];
  if (number < last) add(ProtocolRule::ordering, tlp, "is overtaken by another of its class");
  last = std::max(last, number + 1);
  const Transaction& asked = asked_(tlp.cookie);
  if (tlp.tlp_class == TlpClass::posted) {
    if (number < lane.behind_posted || number < lane.behind_own[sender(tlp)])
      add(ProtocolRule::ordering, tlp, "is passed by one that is not posted");
  } else if (tlp.tlp_class == TlpClass::non_posted || !asked.relaxed_ordering) {
    std::uint64_t& behind = asked.id_based_ordering ? lane.behind_own[sender(tlp)] : lane.behind_posted;
    behind = std::max(behind, number + 1);
  }
}

}  // namespace peerpath::fabric
