#include "observe/trace/credits_in_use.hpp"

#include <algorithm>

namespace peerpath::trace {

void CreditsInUse::see(const Tlp& tlp, const Tell& tell) {
  const auto& record = tlp.record;
  for (; !returns_.empty() && returns_.top().when <= record.start; returns_.pop()) {
    const auto& [when, pool] = returns_.top();
    tell({when, pool.link, pool.direction, pool.tlp_class, --taken_[pool]});
  }
  if (const auto here = held_.find({record.cookie, record.tlp_class, record.address, tlp.from}); here != held_.end()) {
    returns_.push({record.end + direction(here->second).update_fc, here->second});
    held_.erase(here);
  }
  const Pool pool{record.link.value(), record.direction, record.tlp_class};
  const auto& line = direction(pool);
  if (line.credits[static_cast<std::size_t>(record.tlp_class)].header == 0 || record.channel != 0) return;
  tell({record.start, pool.link, pool.direction, pool.tlp_class, ++taken_[pool]});
  const auto& to = topology_.nodes[tlp.to.value()];
  if (!to.is_endpoint) {
    held_[{record.cookie, record.tlp_class, record.address, tlp.to}] = pool;
    return;
  }
  const auto& service = to.endpoint.service[static_cast<std::size_t>(record.tlp_class)];
  auto& served = served_[pool];
  served = std::max(served, record.end + line.propagation) + service.per_tlp +
           (service.rate.bps() == 0 ? Duration{0} : record.payload / service.rate);
  returns_.push({served + line.update_fc, pool});
}

}  // namespace peerpath::trace
