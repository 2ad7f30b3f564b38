#include "loop/protocol_watch.hpp"

#include <algorithm>

namespace peerpath::loop {
namespace {

/// A transaction is kept for so long after it is over: deliveries are computed before the links are checked.
constexpr Duration keep = std::chrono::milliseconds{1};

}  // namespace

ProtocolWatch::ProtocolWatch(const fabric::Topology& topology, fabric::Fabric& fabric, fabric::TlpObserver* further,
                             bool still)
    : forgets_{!topology.strays},
      further_{further},
      checker_{topology, [this](std::uint64_t number) -> const fabric::Transaction& { return asked_.at(number); },
               still} {
  fabric.observe(this);
}

std::uint64_t ProtocolWatch::number(const fabric::Transaction& transaction) {
  asked_.emplace_hint(asked_.end(), next_, transaction);
  return next_++;
}

std::uint64_t ProtocolWatch::cookie(const fabric::Delivery& delivery) {
  if (forgets_ && delivery.kind != fabric::DeliveryKind::requested) over_.emplace_back(delivery.done, delivery.cookie);
  return asked_.at(delivery.cookie).cookie;
}

void ProtocolWatch::observe(const fabric::TlpRecord& tlp) {
  seen_.push_back(tlp);
  if (further_ == nullptr) return;
  auto as_asked = tlp;
  as_asked.cookie = asked_.at(tlp.cookie).cookie;
  further_->observe(as_asked);
}

void ProtocolWatch::reached(Instant horizon) {
  const auto later =
      std::stable_partition(seen_.begin(), seen_.end(), [&](const auto& tlp) { return tlp.start < horizon; });
  std::stable_sort(seen_.begin(), later, [](const auto& a, const auto& b) { return a.start < b.start; });
  for (auto tlp = seen_.begin(); tlp != later; ++tlp) checker_.see(*tlp);
  seen_.erase(seen_.begin(), later);
  for (; forgets_ && !over_.empty() && over_.front().first + keep < horizon; over_.pop_front())
    asked_.erase(over_.front().second);
}

std::vector<std::string> ProtocolWatch::violations() const {
  std::vector<std::string> all;
  for (const auto& violation : checker_.violations()) all.push_back(violation.what);
  return all;
}

}  // namespace peerpath::loop
