#include "fabric/check/work_conservation.hpp"

#include <algorithm>

namespace peerpath::fabric {
namespace {

using pcie::TlpClass;

/// Posted TLPs that are remembered of a lane: more than any buffer holds.
constexpr std::size_t remembered = 4096;

}  // namespace

bool WorkConservation::applies(const Topology& topology) {
  const auto exposed = [](const LinkDirection& d) { return d.gate != nullptr || d.bits_per_error > 0; };
  return topology.weights.empty() && !topology.strays && std::ranges::none_of(topology.links, [&](const Link& link) {
           return exposed(link.direction[0]) || exposed(link.direction[1]);
         });
}

WorkConservation::WorkConservation(const Topology& topology)
    : topology_{topology}, wiring_{topology}, directions_(topology.links.size() * 2) {
  for (std::size_t number = 0; number < directions_.size(); ++number)
    for (std::size_t pool = 0; pool < pools; ++pool) {
      directions_[number].credits[pool].headers = advertised(number, pool).header;
      directions_[number].credits[pool].units = advertised(number, pool).data;
    }
}

const Node& WorkConservation::receiver(std::size_t number) const {
  const Link& link = topology_.links[number / 2];
  return topology_.nodes[(number % 2 == 0 ? link.b : link.a).value()];
}

const Credits& WorkConservation::advertised(std::size_t number, std::size_t pool) const {
  const std::size_t c = pool % pcie::tlp_classes;
  return pool == c ? line(number).credits[c] : line(number).vc1_credits[c];
}

std::optional<Instant> WorkConservation::late(const TlpRecord& tlp, const Transaction& asked) {
  const std::size_t number = tlp.link.value() * 2u + static_cast<std::size_t>(tlp.direction);
  const Link& link = topology_.links[tlp.link.value()];
  const NodeId from = tlp.direction == 0 ? link.a : link.b;
  std::optional<Instant> could;
  if (!topology_.nodes[from.value()].is_endpoint) could = leave(number, tlp, asked);
  start(number, tlp);
  return could;
}

/// Takes the TLP out of the buffer of its router and says whether it left it later than it could.
std::optional<Instant> WorkConservation::leave(std::size_t number, const TlpRecord& tlp, const Transaction& asked) {
  const Link& link = topology_.links[tlp.link.value()];
  const NodeId router = tlp.direction == 0 ? link.a : link.b;
  const std::size_t c = static_cast<std::size_t>(tlp.tlp_class);
  for (const Port& port : wiring_.ports(router))
    for (std::size_t channel = 0; channel < 2; ++channel) {
      const std::size_t incoming = port.link.value() * 2u + static_cast<unsigned>(1 - port.outgoing);
      const std::size_t pool = channel * pcie::tlp_classes + c;
      Pool& buffer = directions_[incoming].credits[pool];
      const auto found = std::ranges::find_if(buffer.waiting, [&](const Entry& w) { return same(w.tlp, tlp); });
      if (found == buffer.waiting.end()) continue;
      Lane& lane = lanes_[{incoming * 2 + channel, number * 2 + static_cast<std::size_t>(tlp.channel)}];
      const Duration in = found->tlp.end - found->tlp.start, out = tlp.end - tlp.start;
      Instant ready = found->tlp.start + line(incoming).propagation + std::max(Duration{0}, in - out) +
                      topology_.nodes[router.value()].router.latency;
      ready = std::max(ready, lane.left[c]);
      if (tlp.tlp_class == TlpClass::posted) {
        lane.posted.push_back({found->number, tlp.end});
        if (lane.posted.size() > remembered) lane.posted.pop_front();
      } else if (tlp.tlp_class == TlpClass::non_posted || !asked.relaxed_ordering) {
        const auto after = std::ranges::lower_bound(lane.posted, found->number, {}, &Posted::number);
        if (after != lane.posted.begin()) ready = std::max(ready, std::prev(after)->left);
      }
      lane.left[c] = tlp.end;
      buffer.returns.insert({tlp.end + line(incoming).update_fc, units_of(tlp)});
      buffer.waiting.erase(found);
      const Instant by_line = after_dllps(number, std::max(ready, directions_[number].free));
      const auto by_credits = with_credits(number, tlp, by_line);
      if (!by_credits) return {};
      const Instant could = after_dllps(number, *by_credits);
      return tlp.start > could ? std::optional{could} : std::nullopt;
    }
  return {};
}

/// When, from `at` on, the credits for the TLP are there; none if no link shows that.
std::optional<Instant> WorkConservation::with_credits(std::size_t number, const TlpRecord& tlp, Instant at) const {
  const std::size_t pool = pool_of_tlp(tlp);
  const Credits& most = advertised(number, pool);
  if (most.header == 0 && most.data == 0) return at;
  if (receiver(number).is_endpoint) return {};
  const Pool& credits = directions_[number].credits[pool];
  const auto enough = [&](int headers, int units) {
    return (most.header == 0 || headers >= 1) && (most.data == 0 || units >= units_of(tlp));
  };
  int headers = credits.headers, units = credits.units;
  if (enough(headers, units)) return at;
  for (const Return& one : credits.returns) {
    ++headers;
    units += one.units;
    if (enough(headers, units)) return std::max(at, one.at);
  }
  return {};
}

/// The line is taken, credits are used, the TLP enters the next buffer and causes DLLPs on the way back.
void WorkConservation::start(std::size_t number, const TlpRecord& tlp) {
  Direction& direction = directions_[number];
  while (!direction.due.empty() && direction.due.front() < tlp.start && direction.free < tlp.start) send_dllp(number);
  direction.free = tlp.end;
  Pool& pool = direction.credits[pool_of_tlp(tlp)];
  while (!pool.returns.empty() && pool.returns.begin()->at <= tlp.start) {
    ++pool.headers;
    pool.units += pool.returns.begin()->units;
    pool.returns.erase(pool.returns.begin());
  }
  --pool.headers;
  pool.units -= units_of(tlp);
  if (!receiver(number).is_endpoint) pool.waiting.push_back({tlp, direction.entered++});
  cause_dllps(number, tlp.end + line(number).propagation);
}

/// When a TLP that could start at `at` starts behind the DLLPs that are due by then.
Instant WorkConservation::after_dllps(std::size_t number, Instant at) {
  Direction& direction = directions_[number];
  while (!direction.due.empty() && direction.due.front() <= at) {
    send_dllp(number);
    at = std::max(at, direction.free);
  }
  return at;
}

/// The first DLLP that is due takes the line.
void WorkConservation::send_dllp(std::size_t number) {
  Direction& direction = directions_[number];
  direction.free = std::max(direction.free, direction.due.front()) + pcie::dllp_size / line(number).rate;
  direction.due.pop_front();
}

void WorkConservation::cause_dllps(std::size_t number, Instant arrival) {
  Direction& direction = directions_[number];
  auto& due = directions_[number ^ 1].due;
  const auto cause = [&](Duration interval, Instant& next) {
    if (interval == Duration{0} || arrival < next) return;
    next = arrival + interval;
    due.push_back(arrival);
  };
  cause(line(number).ack_interval, direction.next_ack);
  cause(line(number).fc_interval, direction.next_fc);
}

}  // namespace peerpath::fabric
