#include <memory>

#include "transport/roce/fleet.hpp"

namespace peerpath::roce {

void Fleet::rest(QpIndex number) {
  if (config_.dcqcn == DcqcnSet::off && qps_[number] != nullptr) qps_[number]->resting = true;
}

/// Of a queue pair that is to rest and is done.
void Fleet::put_away(QueuePair& qp) {
  constexpr auto most = ~std::uint32_t{0};
  const bool busy = &qp == in_use_ || qp.sends || qp.answers || qp.cnp || !qp.posted.empty() || !qp.waiting.empty() ||
                    !qp.placing.empty();
  if (!qp.resting || busy || !qp.requester.is_quiet() || !qp.responder.is_quiet()) return;
  const auto sends = qp.requester.end(), expects = qp.responder.expected();
  if (sends > most || expects > most) return;
  resting_.resize(qps_.size());
  resting_[qp.number] = sends << 32 | expects;
  qps_[qp.number] = nullptr;
  unused_.push_back(&qp);
}

/// Where another one was, if one is at rest.
Fleet::QueuePair& Fleet::add(QpIndex number, HostIndex at, HostIndex to, const ConnectionAttributes& attributes,
                             BitRate line) {
  const auto dcqcn = parameters(config_.dcqcn, line);
  auto* qp = unused_.empty() ? &ends_.emplace_back(*this, number, at, to, attributes, line, dcqcn) : unused_.back();
  if (!unused_.empty()) {
    unused_.pop_back();
    std::destroy_at(qp);
    qp = std::construct_at(qp, *this, number, at, to, attributes, line, dcqcn);
  }
  qps_[number] = qp;
  if (number >= resting_.size() || resting_[number] == 0) return *qp;
  qp->requester.begin_at(resting_[number] >> 32);
  qp->responder.begin_at(resting_[number] & 0xffffffff);
  return *qp;
}

}  // namespace peerpath::roce
