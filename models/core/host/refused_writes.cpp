#include "core/host/refused_writes.hpp"

#include <algorithm>

namespace peerpath::host {

void RefusedWrites::note(const fabric::GatedTlp& tlp, std::int32_t count) {
  if (!tlp.refused || tlp.purpose == pcie::Purpose::doorbell || tlp.purpose == pcie::Purpose::interrupt) return;
  const auto words = (static_cast<std::int64_t>(tlp.address % 4) + tlp.bytes.count() + 3) / 4;
  bytes_ += Bytes{words * 4 * count};
}

Instant RefusedWrites::pass(const fabric::GatedTlp& tlp) {
  note(tlp, 1);
  return next_ != nullptr ? next_->pass(tlp) : tlp.at;
}

fabric::GatedRun RefusedWrites::pass_run(const fabric::GatedTlp& tlp, Duration spacing, std::int32_t count) {
  const auto run = next_ != nullptr ? next_->pass_run(tlp, spacing, count) : fabric::GatedRun{tlp.at, count};
  note(tlp, run.count);
  return run;
}

bool RefusedWrites::all_alike(std::span<const fabric::AlikeTlps> tlps) const {
  if (next_ != nullptr) return next_->all_alike(tlps);
  return std::ranges::all_of(tlps, [](const auto& run) { return run.delay == Duration{0}; });
}

void RefusedWrites::pass_alike(std::span<const fabric::AlikeTlps> tlps) {
  for (const auto& run : tlps) note(run.first, run.count);
  if (next_ != nullptr) next_->pass_alike(tlps);
}

}  // namespace peerpath::host
