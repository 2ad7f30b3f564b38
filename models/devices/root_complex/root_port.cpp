#include "devices/root_complex/root_port.hpp"

#include <algorithm>

#include "core/host/last_level_cache.hpp"

namespace peerpath::root_complex {
namespace {

using pcie::TlpClass;

/// Longer by 1 / (1 - share), for cores that keep the memory busy.
Duration under_load(Duration latency, int cpu_load_percent) { return latency * 100 / (100 - cpu_load_percent); }

std::int64_t lines_of(const fabric::GatedTlp& tlp) {
  if (tlp.bytes <= Bytes{0}) return 0;
  const auto last = tlp.address + static_cast<std::uint64_t>(tlp.bytes.count()) - 1;
  return static_cast<std::int64_t>(last / host::line_bytes - tlp.address / host::line_bytes + 1);
}

}  // namespace

RootPort::RootPort(const device::RootComplexConfig& config, fabric::NodeId memory) : memory_{memory} {
  if (config.iommu) iommu_.emplace(*config.iommu);
  if (const auto& c = config.credits) {
    writes_ = Credits{host::LineCredits{c->write_credits}, under_load(c->write_latency, c->cpu_load_percent)};
    reads_ = Credits{host::LineCredits{c->read_credits}, under_load(c->read_latency, c->cpu_load_percent)};
  }
  if (const auto& o = config.ordered_writes) ordered_ = Credits{host::LineCredits{o->lines}, o->commit_latency};
  if (const auto& peer = config.peer_to_peer) {
    peer_reads_.rate = peer->read_rate;
    peer_latency_ = peer->latency;
  }
}

Instant PeerWay::take(Bytes bytes, Instant at) {
  if (rate == BitRate{}) return at;
  busy.forget(at - host::longest_way);
  at = std::max(at, free);
  free = at + bytes / rate;
  busy.book(at, free);
  return at;
}

/// A write without Relaxed Ordering goes on when its lines have found room among those that are still to be committed.
Instant RootPort::commit_in_order(const fabric::GatedTlp& tlp, Instant at) {
  ordered_->lines.forget(tlp.at - host::longest_way);
  ordered_wait_.forget(tlp.at - host::longest_way);
  const Instant first = std::max(at, ordered_passed_);
  ordered_passed_ = ordered_->lines.take(lines_of(tlp), first, ordered_->hold);
  if (ordered_passed_ > first) ordered_wait_.book(first, ordered_passed_);
  return ordered_passed_;
}

Instant RootPort::pass(const fabric::GatedTlp& tlp) {
  if (tlp.tlp_class == TlpClass::completion)
    return is_memory(tlp.requester) ? tlp.at : peer_reads_.take(tlp.bytes, tlp.at);
  // Interrupt messages are remapped by a table of their own, which is not modelled.
  if (tlp.purpose == pcie::Purpose::interrupt) return tlp.at;
  auto at = iommu_ && !tlp.translated ? iommu_->translate(tlp.address, tlp.at) : tlp.at;
  if (!is_memory(tlp.target)) return at + peer_latency_;
  const bool posted = tlp.tlp_class == TlpClass::posted;
  if (posted && ordered_ && !tlp.relaxed_ordering) at = commit_in_order(tlp, at);
  auto& credits = posted ? writes_ : reads_;
  if (!credits) return at;
  credits->lines.forget(tlp.at - host::longest_way);
  return credits->lines.take(lines_of(tlp), at, credits->hold);
}

fabric::GatedRun RootPort::pass_run(const fabric::GatedTlp& tlp, Duration spacing, std::int32_t count) {
  const bool for_memory = is_memory(tlp.target);
  if (tlp.tlp_class == TlpClass::completion) {
    const bool at_once = is_memory(tlp.requester) || peer_reads_.rate == BitRate{};
    return {pass(tlp), at_once ? count : 1};
  }
  if (tlp.purpose == pcie::Purpose::interrupt || (for_memory && (writes_ || ordered_))) return {pass(tlp), 1};
  if (!iommu_ || tlp.translated) return {pass(tlp), count};
  const auto translated = iommu_->translate_run(tlp.address, tlp.bytes, tlp.at, spacing, count);
  return {for_memory ? translated.first : translated.first + peer_latency_, translated.count};
}

Instant PeerWrites::pass(const fabric::GatedTlp& tlp) {
  auto passed = tlp;
  if (tlp.tlp_class == TlpClass::posted && tlp.requester != memory_ && !contains(remote_, tlp.requester))
    passed.at = way_.take(tlp.bytes, tlp.at);
  return next_ != nullptr ? next_->pass(passed) : passed.at;
}

Instant PeerCrossing::pass(const fabric::GatedTlp& tlp) {
  if (contains(memories_, tlp.requester) || contains(memories_, tlp.target)) return tlp.at;
  if (tlp.tlp_class == TlpClass::posted) return writes_.take(tlp.bytes, tlp.at);
  return tlp.tlp_class == TlpClass::completion ? reads_.take(tlp.bytes, tlp.at) : tlp.at;
}

}  // namespace peerpath::root_complex
