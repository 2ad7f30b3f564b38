#include "loop/tlp_watch.hpp"

#include <algorithm>

namespace peerpath::loop {
namespace {

/// A transaction is kept for so long after it is over: deliveries are computed before the links are checked.
constexpr Duration keep = std::chrono::milliseconds{1};

}  // namespace

TlpWatch::TlpWatch(const fabric::Topology& topology, fabric::Fabric& fabric, const TlpWatchers& watchers)
    : forgets_{!topology.strays}, watchers_{watchers} {
  if (watchers.checker)
    checker_.emplace(
        topology, [this](std::uint64_t number) -> const fabric::Transaction& { return asked_.at(number); },
        watchers.still);
  fabric.observe(this);
}

std::uint64_t TlpWatch::number(const fabric::Transaction& transaction) {
  asked_.emplace_hint(asked_.end(), next_, transaction);
  return next_++;
}

std::uint64_t TlpWatch::cookie(const fabric::Delivery& delivery) {
  const bool over = delivery.kind == fabric::DeliveryKind::arrived || delivery.kind == fabric::DeliveryKind::completed;
  if (forgets_ && over) over_.emplace_back(delivery.done, delivery.cookie);
  return asked_.at(delivery.cookie).cookie;
}

void TlpWatch::observe(const fabric::TlpRecord& tlp) {
  seen_.push_back(tlp);
  if (watchers_.observer == nullptr) return;
  auto as_asked = tlp;
  as_asked.cookie = asked_.at(tlp.cookie).cookie;
  watchers_.observer->observe(as_asked);
}

void TlpWatch::reached(Instant horizon) {
  const auto later =
      std::stable_partition(seen_.begin(), seen_.end(), [&](const auto& tlp) { return tlp.start < horizon; });
  std::stable_sort(seen_.begin(), later, [](const auto& a, const auto& b) { return a.start < b.start; });
  for (auto tlp = seen_.begin(); tlp != later; ++tlp) {
    if (checker_) checker_->see(*tlp);
    if (watchers_.listener != nullptr) watchers_.listener->see(*tlp, asked_.at(tlp->cookie));
  }
  if (watchers_.listener != nullptr) watchers_.listener->reached(horizon);
  seen_.erase(seen_.begin(), later);
  for (; forgets_ && !over_.empty() && over_.front().first + keep < horizon; over_.pop_front())
    asked_.erase(over_.front().second);
}

std::vector<std::string> TlpWatch::violations() const {
  std::vector<std::string> all;
  if (checker_)
    for (const auto& violation : checker_->violations()) all.push_back(violation.what);
  return all;
}

}  // namespace peerpath::loop
