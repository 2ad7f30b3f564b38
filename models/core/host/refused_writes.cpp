#include "core/host/refused_writes.hpp"

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

}  // namespace peerpath::host
