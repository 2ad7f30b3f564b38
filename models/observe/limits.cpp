#include "observe/limits.hpp"

#include <algorithm>

#include "observe/credit_pools.hpp"
#include "observe/link_totals.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

constexpr std::int64_t one_percent = 10'000;           // in units of 10^-percent_places
constexpr std::int64_t saturated = 95 * one_percent;   // gates and turns leave gaps of a few per cent
constexpr std::int64_t stalled = 10 * one_percent;     // bursts alone leave a link without credits for a while
constexpr std::int64_t asked_for = 105 * one_percent;  // of held units: more are wanted than there are

/// Searches the results of one run.
class Search {
 public:
  Search(const Results& results, const scenario::Scenario& scenario, const std::vector<const TrafficResult*>& lagging,
         const std::string& passed_over)
      : results_{results}, scenario_{scenario}, passed_over_{passed_over} {
    for (const auto* traffic : lagging)
      for (const auto& requester : traffic->requesters) requesters_.push_back(requester);
    for (const auto* traffic : lagging) names_.push_back(traffic->name);
    for (const auto& link : results.links) {
      sides_.push_back({&link, Direction::up});
      sides_.push_back({&link, Direction::down});
    }
  }

  std::optional<Limit> link_that_is_down() const;
  std::optional<Limit> busy() const;
  std::optional<Limit> credits() const;
  std::optional<Limit> frames() const;
  std::optional<Limit> held() const;
  std::optional<Limit> in_flight() const;

 private:
  bool carries(const LinkSide& side) const {
    return std::ranges::any_of(side.sent().rows, [this](const LedgerRow& row) {
      return row.tlps > 0 && std::ranges::find(requesters_, row.requester) != requesters_.end();
    });
  }
  std::int64_t count(const std::string& metric) const {
    const auto* found = find_metric(results_, metric);
    return found == nullptr || !found->value ? 0 : found->value->digits;
  }
  /// Requests of the device failed: what it waits for may never come.
  bool has_failed(const std::string& device) const {
    return std::ranges::any_of(results_.faults, [&](const Fault& fault) {
      return fault.device == device && !fault.what.starts_with("frame dropped");
    });
  }
  const LinkSide* root_of(const LinkSide& side) const;
  std::optional<Limit> translation(const std::string& root) const;
  Decimal stall(const LinkSide& side) const { return share(side.sent().credit_stall, results_.window); }

  const Results& results_;
  const scenario::Scenario& scenario_;
  const std::string& passed_over_;
  std::vector<std::string> requesters_, names_;
  std::vector<LinkSide> sides_;
};

/// Of a link that the payload of what falls short has to take, and that no event brings up again.
std::optional<Limit> Search::link_that_is_down() const {
  std::string down;
  for (const auto& event : scenario_.events) {
    if (event.is<scenario::event::LinkDown>()) down = event.device;
    if (event.is<scenario::event::LinkUp>() && event.device == down) down.clear();
  }
  if (down.empty()) return std::nullopt;
  for (const auto& traffic : results_.traffic) {
    if (std::ranges::find(names_, traffic.name) == names_.end()) continue;
    if (is_below(results_, traffic.from, down) == is_below(results_, traffic.to, down)) continue;
    const auto link = std::ranges::find(results_.links, down, &LinkResult::farther);
    if (link != results_.links.end())
      return Limit{"link " + link->name + ", which is down",
                   names_.size() > 1 ? ": what waits for it keeps the credits of the others" : ""};
  }
  return std::nullopt;
}

/// Walkers that are busy all the time have too many misses to walk for: if an IOTLB of twice the size had held most of
/// their pages, it is what is too small.
std::optional<Limit> Search::translation(const std::string& root) const {
  const auto misses = count(root + ".iommu_misses"), held = count(root + ".iommu_misses_of_size");
  const auto of_all =
      share(Duration{misses}, Duration{std::max<std::int64_t>(1, misses + count(root + ".iommu_hits"))});
  if (of_all.digits < one_percent) return std::nullopt;
  if (held * 2 > misses) return Limit{root + " IOTLB", ", which " + spell_percent(of_all) + " of all requests miss"};
  return Limit{root + " IOMMU page walkers", ", needed by " + spell_percent(of_all) + " of all requests"};
}

std::optional<Limit> Search::busy() const {
  std::optional<Utilisation> most;
  const auto consider = [&](const std::string& name, Decimal percent) {
    if (name == passed_over_) return;
    if (!most || percent.digits > most->percent.digits) most = Utilisation{name, percent};
  };
  for (const auto& resource : results_.resources)
    if (!resource.entrance && resource.asked == Duration{})
      consider(resource.name, share(resource.busy, resource.capacity));
  for (const auto& side : sides_)
    if (carries(side)) consider(side.name(), utilisation(side.sent(), results_.window));
  for (const auto& cpu : results_.cpus) consider(cpu.name + ", its busiest core", share(cpu.busiest, results_.window));
  for (const auto& memory : results_.memories) consider(memory.name, utilisation(memory, results_.window));
  if (!most || most->percent.digits < saturated) return std::nullopt;
  if (const auto walkers = most->name.find(" IOMMU page walkers"); walkers != std::string::npos)
    if (auto limit = translation(most->name.substr(0, walkers))) return limit;
  return Limit{most->name, ", busy " + spell_percent(most->percent) + " of the time"};
}

/// A link lacks credits because what it leads to does not take TLPs on. If that is a router whose own way on lacks
/// them too, the cause is there.
const LinkSide* Search::root_of(const LinkSide& side) const {
  const LinkSide* root = &side;
  for (std::size_t steps = 0; steps < sides_.size(); ++steps) {
    const LinkSide* next = nullptr;
    for (const auto& further : sides_)
      if (further.from() == root->to() && further.link != root->link && carries(further) &&
          stall(further).digits >= std::max(stalled, stall(*root).digits / 2) &&
          (next == nullptr || stall(further).digits > stall(*next).digits))
        next = &further;
    if (next == nullptr) return root;
    root = next;
  }
  return root;
}

std::optional<Limit> Search::credits() const {
  const LinkSide* worst = nullptr;
  for (const auto& side : sides_)
    if (carries(side) && (worst == nullptr || stall(side).digits > stall(*worst).digits)) worst = &side;
  if (worst == nullptr || stall(*worst).digits < stalled) return std::nullopt;
  const auto& root = *root_of(*worst);
  if (auto limit = translation(root.to())) return limit;
  return Limit{scarce_credits(results_, scenario_, root) + " of " + root.name(),
               ", missing " + spell_percent(stall(root)) + " of the time"};
}

std::optional<Limit> Search::frames() const {
  for (const auto& nic : requesters_) {
    const auto full = count(nic + ".dropped_fifo_full"), none = count(nic + ".dropped_no_buffer");
    if (full + none == 0 || has_failed(nic)) continue;
    if (full >= none) return Limit{nic + " receive FIFO", ", full when " + std::to_string(full) + " frames came"};
    if (count(nic + ".rx_waited_fetch") > count(nic + ".rx_waited_ring"))
      return Limit{nic + " descriptor prefetch", ", too short: frames waited for descriptors that were posted"};
    return Limit{nic + " interrupt moderation", ", too long: rings ran out of buffers between interrupts"};
  }
  return std::nullopt;
}

std::optional<Limit> Search::held() const {
  const Resource* most = nullptr;
  for (const auto& resource : results_.resources) {
    const auto dot = resource.name.find(" tags");
    if (resource.asked == Duration{} || share(resource.asked, resource.capacity).digits < asked_for) continue;
    if (std::ranges::find(requesters_, resource.name.substr(0, dot)) == requesters_.end()) continue;
    if (most == nullptr || share(resource.asked, resource.capacity).digits > share(most->asked, most->capacity).digits)
      most = &resource;
  }
  if (most == nullptr) return std::nullopt;
  return Limit{most->name, ", all in use while reads waited for one"};
}

/// Little's law: transfers in flight are their rate times their latency.
std::optional<Limit> Search::in_flight() const {
  for (const auto& traffic : results_.traffic) {
    if (std::ranges::find(names_, traffic.name) == names_.end()) continue;
    if (traffic.kind != "read" && traffic.kind != "write") continue;
    return Limit{traffic.from + " transfers in flight", ", which their latency does not make enough"};
  }
  return std::nullopt;
}

}  // namespace

Decimal share(Duration part, Duration whole) {
  return quotient(static_cast<WideInt>(part.count()) * 100, whole.count(), percent_places);
}

std::vector<const TrafficResult*> held_by(const Limit& limit, const Results& results,
                                          const std::vector<const TrafficResult*>& lagging) {
  std::vector<const TrafficResult*> held;
  for (const auto& link : results.links)
    for (const auto direction : {Direction::up, Direction::down}) {
      const LinkSide side{&link, direction};
      if (side.name() != limit.name) continue;
      for (const auto* traffic : lagging)
        if (std::ranges::any_of(side.sent().rows, [&](const LedgerRow& row) {
              return row.purpose == pcie::Purpose::payload &&
                     std::ranges::find(traffic->requesters, row.requester) != traffic->requesters.end();
            }))
          held.push_back(traffic);
    }
  return held.empty() ? lagging : held;
}

std::string spell_percent(Decimal percent) { return to_string(quotient(percent.digits, one_percent, 1)) + " %"; }

std::optional<Limit> find_limit(const Results& results, const scenario::Scenario& scenario,
                                const std::vector<const TrafficResult*>& lagging, const std::string& passed_over) {
  const Search search{results, scenario, lagging, passed_over};
  if (auto limit = search.link_that_is_down()) return limit;
  if (auto limit = search.busy()) return limit;
  if (auto limit = search.credits()) return limit;
  if (auto limit = search.frames()) return limit;
  if (auto limit = search.held()) return limit;
  return search.in_flight();
}

}  // namespace peerpath::observe
