#include "analytic/link_efficiency.hpp"

#include <algorithm>

#include "core/pcie/link_rate.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::analytic {
namespace {

/// What a unit of payload costs on one direction: `bytes` on the line for `payload` bytes.
struct Cost {
  WideInt bytes = 0;
  WideInt payload = 1;
};

Cost operator+(Cost a, Cost b) { return {a.bytes * b.payload + b.bytes * a.payload, a.payload * b.payload}; }

struct Link {
  explicit Link(const LinkUse& use)
      : timing{pcie::link_timing(use.shape, use.max_payload, use.dllp, use.link_share)},
        mps{use.max_payload.count()},
        mrrs{use.max_read_request.count()} {}

  Cost writes() const { return {mps + overhead(pcie::header_4dw), mps}; }
  Cost completions() const { return {mps + overhead(pcie::header_3dw), mps}; }
  Cost requests() const { return {overhead(pcie::header_4dw), mrrs}; }
  std::int64_t overhead(Bytes header) const { return (header + timing.framing).count(); }

  /// Bits per second left beside the DLLPs that TLPs received back to back cause: two per ack interval.
  WideInt rate_beside_dllps() const {
    const auto interval = femtoseconds(timing.ack_interval);
    if (interval == 0) return timing.rate.bps();
    return timing.rate.bps() - WideInt{2 * 8} * pcie::dllp_size.count() * 1'000'000'000'000'000 / interval;
  }

  /// The same where each TLP received causes two DLLPs: they are part of the cost of what it asked for.
  Cost dllps_of_requests() const {
    if (timing.ack_interval == Duration{0}) return {0, 1};
    return {2 * pcie::dllp_size.count(), mrrs};
  }

  pcie::LinkTiming timing;
  WideInt mps, mrrs;
};

WideInt payload_rate(WideInt bits_per_second, Cost cost) { return bits_per_second * cost.payload / cost.bytes; }

BitRate to_rate(WideInt bits_per_second) { return BitRate{narrow(bits_per_second)}; }

/// Completions beside the DLLPs that their requests cause: the fewer of one pair a request and one pair an interval.
WideInt completion_rate(const Link& link) {
  const auto each = payload_rate(link.timing.rate.bps(), link.completions() + link.dllps_of_requests());
  const auto spaced = payload_rate(link.rate_beside_dllps(), link.completions());
  return std::max(each, spaced);
}

}  // namespace

BitRate write_rate(const LinkUse& use) {
  const Link link{use};
  return to_rate(payload_rate(link.timing.rate.bps(), link.writes()));
}

BitRate read_rate(const LinkUse& use) {
  const Link link{use};
  return to_rate(std::min(completion_rate(link), payload_rate(link.rate_beside_dllps(), link.requests())));
}

BitRate read_write_rate(const LinkUse& use) {
  const Link link{use};
  const auto up = payload_rate(link.rate_beside_dllps(), link.writes() + link.requests());
  const auto down = payload_rate(link.rate_beside_dllps(), link.completions());
  return to_rate(std::min(up, down));
}

}  // namespace peerpath::analytic
