#include "observe/credit_pools.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "peerpath/scenario/describe.hpp"
#include "scenario/tree.hpp"

namespace peerpath::observe {
namespace {

constexpr std::int64_t credit_bytes = 16;  ///< of data (PCIe Base Spec 2.6.1)

/// Header and data credits that TLPs of one class took.
struct Taken {
  std::int64_t headers = 0, data = 0;
};

struct Demand {
  Taken posted, non_posted, completion;
};

Bytes max_payload_of(const scenario::Scenario& scenario, const std::string& device) {
  for (const auto& entry : scenario.devices)
    if (entry.name == device)
      if (const auto* function = scenario::function_of(entry)) return function->max_payload;
  return Bytes{128};
}

Bytes data_of(const LinkDirectionResult& direction, const LedgerRow& like) {
  for (const auto& row : direction.rows)
    if (row.requester == like.requester && row.purpose == like.purpose) return row.payload;
  return {};
}

/// The ledger tells requesters and purposes apart, not classes. What comes from the requester's side are its requests,
/// of which those with data are posted; what goes there are its completions. Where a requester both writes and reads,
/// its writes are taken to be as long as MPS allows, and the rest of its TLPs to be read requests.
Demand demand_of(const Results& results, const scenario::Scenario& scenario, const LinkSide& side) {
  Demand demand;
  for (const auto& row : side.sent().rows) {
    const bool far = is_below(results, row.requester, side.link->farther);
    const auto data = (row.payload.count() + credit_bytes - 1) / credit_bytes;
    if (far != (side.direction == Direction::up)) {
      demand.completion.headers += row.tlps;
      demand.completion.data += data;
      continue;
    }
    const bool reads = row.payload == Bytes{} || data_of(side.received(), row) > Bytes{};
    const auto mps = max_payload_of(scenario, row.requester).count();
    const auto writes = !reads ? row.tlps : std::min(row.tlps, (row.payload.count() + mps - 1) / mps);
    demand.posted.headers += writes;
    demand.posted.data += data;
    demand.non_posted.headers += row.tlps - writes;
  }
  return demand;
}

const scenario::Link* link_of(const scenario::Scenario& scenario, const LinkResult& link) {
  for (const auto& l : scenario.links)
    if (scenario::device_of(l.to) == link.farther && scenario::device_of(l.from) == link.nearer) return &l;
  return nullptr;
}

/// Credits of a class that events take away for good.
std::pair<int, int> leaked(const scenario::Scenario& scenario, const LinkSide& side, pcie::TlpClass tlp_class) {
  std::pair<int, int> lost{};
  for (const auto& event : scenario.events) {
    const auto* leak = event.as<scenario::event::CreditLeak>();
    if (leak == nullptr || event.device != side.link->farther || leak->tlp_class != tlp_class ||
        name_of(leak->way) != name_of(side.direction))
      continue;
    lost.first += leak->headers;
    lost.second += leak->data;
  }
  return lost;
}

}  // namespace

bool is_below(const Results& results, std::string device, const std::string& node) {
  for (std::size_t steps = 0; steps <= results.links.size(); ++steps) {
    if (device == node) return true;
    const auto up = std::ranges::find(results.links, device, &LinkResult::farther);
    if (up == results.links.end()) return false;
    device = up->nearer;
  }
  return false;
}

std::string scarce_credits(const Results& results, const scenario::Scenario& scenario, const LinkSide& side,
                           const std::vector<pcie::TlpClass>& classes) {
  const auto* link = link_of(scenario, *side.link);
  if (link == nullptr) return "credits";
  const auto& c = link->credits;
  const auto demand = demand_of(results, scenario, side);
  const auto posted = leaked(scenario, side, pcie::TlpClass::posted);
  const auto non_posted = leaked(scenario, side, pcie::TlpClass::non_posted);
  const auto completion = leaked(scenario, side, pcie::TlpClass::completion);
  struct Pool {
    pcie::TlpClass tlp_class;
    std::string_view name;
    std::int64_t taken;
    int credits, lost;
  };
  const std::array<Pool, 6> pools{
      {{pcie::TlpClass::posted, "posted header credits", demand.posted.headers, c.posted_header, posted.first},
       {pcie::TlpClass::posted, "posted data credits", demand.posted.data, c.posted_data, posted.second},
       {pcie::TlpClass::non_posted, "non-posted header credits", demand.non_posted.headers, c.non_posted_header,
        non_posted.first},
       {pcie::TlpClass::non_posted, "non-posted data credits", demand.non_posted.data, c.non_posted_data,
        non_posted.second},
       {pcie::TlpClass::completion, "completion header credits", demand.completion.headers, c.completion_header,
        completion.first},
       {pcie::TlpClass::completion, "completion data credits", demand.completion.data, c.completion_data,
        completion.second}}};
  std::string scarce;
  std::int64_t most = 0;
  for (const auto& pool : pools) {
    if (pool.credits == 0 || pool.taken == 0 || std::ranges::find(classes, pool.tlp_class) == classes.end()) continue;
    const auto turns = pool.taken * 1000 / std::max(pool.credits - pool.lost, 1);
    if (turns <= most) continue;
    most = turns;
    scarce = pool.name;
  }
  return scarce;
}

}  // namespace peerpath::observe
