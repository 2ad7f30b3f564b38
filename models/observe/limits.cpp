#include "observe/limits.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "observe/entry_path.hpp"
#include "observe/link_totals.hpp"
#include "observe/resource_users.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

constexpr std::int64_t one_percent = 10'000;           // in units of 10^-percent_places
constexpr std::int64_t saturated = 95 * one_percent;   // gates and turns leave gaps of a few per cent
constexpr std::int64_t stalled = 10 * one_percent;     // bursts alone leave a link without credits for a while
constexpr std::int64_t asked_for = 105 * one_percent;  // of held units: more are wanted than there are

/// Something on the entry's way, and how busy it was.
struct Candidate {
  std::string name;
  Decimal percent;
};

/// Searches the results of one run for what limits one entry.
class Search {
 public:
  Search(const Results& results, const scenario::Scenario& scenario, const TrafficResult& traffic)
      : results_{results}, scenario_{scenario}, traffic_{traffic}, path_{path_of(results, traffic)} {}

  std::optional<Limit> link_that_is_down() const;
  std::optional<Limit> busy(bool largest) const;
  std::optional<Limit> credits() const;
  std::optional<Limit> frames() const;
  std::optional<Limit> held() const;

 private:
  bool asks(const std::string& device) const {
    return std::ranges::find(traffic_.requesters, device) != traffic_.requesters.end();
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
  std::string came_by(std::string requester, const std::string& router) const;
  bool others_get_more(std::size_t side) const;
  std::optional<Limit> translation(const std::string& root) const;
  std::vector<pcie::TlpClass> classes(const LinkSide& side) const;
  std::optional<Limit> credits_of(const std::vector<LinkSide>& sides) const;
  bool is_taken_by_others_of(const LinkSide& side, const LinkSide& other) const;
  std::optional<Limit> behind(const LinkSide& side) const;
  std::optional<Limit> end_of(const LinkSide& side) const;
  bool takes(const LinkSide& side) const {
    return std::ranges::any_of(path_.data, [&](const LinkSide& own) { return own.name() == side.name(); });
  }
  Decimal stall(const LinkSide& side) const { return share(side.sent().credit_stall, results_.window); }

  const Results& results_;
  const scenario::Scenario& scenario_;
  const TrafficResult& traffic_;
  const EntryPath path_;
};

/// A link that the payload has to take, and that no event brings up again.
std::optional<Limit> Search::link_that_is_down() const {
  std::string down;
  for (const auto& event : scenario_.events) {
    if (event.is<scenario::event::LinkDown>()) down = event.device;
    if (event.is<scenario::event::LinkUp>() && event.device == down) down.clear();
  }
  if (down.empty()) return std::nullopt;
  const auto link = std::ranges::find(results_.links, down, &LinkResult::farther);
  if (link == results_.links.end()) return std::nullopt;
  const bool taken = is_below(results_, traffic_.from, down) != is_below(results_, traffic_.to, down);
  // What waits for the link keeps the credits of all who share a router with it.
  const bool blocked = std::ranges::any_of(results_.traffic, [&](const TrafficResult& other) {
    return is_below(results_, other.from, down) != is_below(results_, other.to, down) && path_.passes(link->nearer);
  });
  if (!taken && !blocked) return std::nullopt;
  return Limit{"link " + link->name + ", which is down",
               taken ? "" : ": TLPs that wait for it keep the credits of the others"};
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

/// The neighbour of a router by which TLPs of a requester below it come; "" if it is not below.
std::string Search::came_by(std::string requester, const std::string& router) const {
  for (std::size_t steps = 0; steps <= results_.links.size(); ++steps) {
    const auto up = std::ranges::find(results_.links, requester, &LinkResult::farther);
    if (up == results_.links.end()) return "";
    if (up->nearer == router) return requester;
    requester = up->nearer;
  }
  return "";
}

/// Whether a neighbour of the router in front of this direction gets far more turns on it than the entry's. Ports that
/// wait take turns, so then the entry does not wait for this link.
bool Search::others_get_more(std::size_t side) const {
  if (side == 0) return false;
  const auto& link = path_.data[side];
  const auto& own_port = path_.data[side - 1].from();
  std::map<std::string, std::int64_t> turns;
  for (const auto& row : link.sent().rows) {
    const bool answers = (link.direction == Direction::down) == is_below(results_, row.requester, link.link->farther);
    const auto port = asks(row.requester) ? own_port : answers ? "" : came_by(row.requester, link.from());
    if (!port.empty()) turns[port] += row.tlps;
  }
  return std::ranges::any_of(
      turns, [&](const auto& other) { return other.first != own_port && other.second > 2 * turns[own_port]; });
}

/// `largest`: only on the way of the payload, and only where no other gets more.
std::optional<Limit> Search::busy(bool largest) const {
  std::vector<Candidate> candidates;
  for (const auto& resource : results_.resources)
    if (!resource.entrance && resource.asked == Duration{} && uses(scenario_, traffic_, path_, resource.name))
      candidates.push_back({resource.name, share(resource.busy, resource.capacity)});
  for (std::size_t n = 0; n < path_.data.size(); ++n)
    if (!largest || !others_get_more(n))
      candidates.push_back({path_.data[n].name(), utilisation(path_.data[n].sent(), results_.window)});
  for (const auto& side : path_.requests)
    if (!largest) candidates.push_back({side.name(), utilisation(side.sent(), results_.window)});
  for (const auto& cpu : results_.cpus)
    if (const auto core = busiest_core(cpu, traffic_))
      candidates.push_back({cpu.name + ", its busiest core", share(*core, results_.window)});
  for (const auto& memory : results_.memories)
    if (path_.passes(memory.name)) candidates.push_back({memory.name, memory_use(memory, traffic_, path_, results_)});
  const auto most = std::ranges::max_element(candidates, {}, [](const Candidate& c) { return c.percent.digits; });
  if (most == candidates.end() || most->percent.digits < saturated) return std::nullopt;
  if (const auto walkers = most->name.find(" IOMMU page walkers"); walkers != std::string::npos)
    if (auto limit = translation(most->name.substr(0, walkers))) return limit;
  return Limit{most->name, ", busy " + spell_percent(most->percent) + " of the time"};
}

/// What the entry's TLPs on this direction are: what its requesters send are requests, what comes to them is answers.
std::vector<pcie::TlpClass> Search::classes(const LinkSide& side) const {
  bool posted = false, answers = false;
  for (const auto& requester : traffic_.requesters) {
    const bool sends = is_below(results_, requester, side.link->farther) == (side.direction == Direction::up);
    (sends ? posted : answers) = true;
  }
  std::vector<pcie::TlpClass> all;
  if (posted && path_.writes) all.push_back(pcie::TlpClass::posted);
  if (posted && path_.reads) all.push_back(pcie::TlpClass::non_posted);
  if (answers && path_.reads) all.push_back(pcie::TlpClass::completion);
  return all;
}

/// A link lacks credits because what it leads to does not take TLPs on. If a router's own way on lacks them too, the
/// cause is there: the last of those that lack them.
std::optional<Limit> Search::credits_of(const std::vector<LinkSide>& sides) const {
  const LinkSide* root = nullptr;
  for (const auto& side : sides) {
    if (stall(side).digits < std::max(stalled, root == nullptr ? 0 : stall(*root).digits / 2)) continue;
    if (!scarce_credits(results_, scenario_, side, classes(side)).empty()) root = &side;
  }
  if (root == nullptr) return std::nullopt;
  if (auto limit = behind(*root)) return limit;
  if (auto limit = translation(root->to())) return limit;
  return Limit{scarce_credits(results_, scenario_, *root, classes(*root)) + " of " + root->name(),
               ", missing " + spell_percent(stall(*root)) + " of the time"};
}

/// Whether an entry whose payload shares the first direction goes on by the second, which this one does not take.
bool Search::is_taken_by_others_of(const LinkSide& side, const LinkSide& other) const {
  if (takes(other)) return false;
  return std::ranges::any_of(results_.traffic, [&](const TrafficResult& traffic) {
    const Search entry{results_, scenario_, traffic};
    return entry.takes(side) && entry.takes(other);
  });
}

/// What others wait for beyond a router keeps the buffer that the entry's TLPs need.
std::optional<Limit> Search::behind(const LinkSide& side) const {
  for (const auto& link : results_.links)
    for (const auto direction : {Direction::up, Direction::down}) {
      const LinkSide other{&link, direction};
      if (other.from() != side.to() || other.link == side.link || !is_taken_by_others_of(side, other)) continue;
      const auto use = utilisation(other.sent(), results_.window);
      if (use.digits >= saturated)
        return Limit{other.name(),
                     ", busy " + spell_percent(use) + " of the time: TLPs that wait for it block the others"};
      const std::vector all{pcie::TlpClass::posted, pcie::TlpClass::non_posted, pcie::TlpClass::completion};
      const auto lacking = scarce_credits(results_, scenario_, other, all);
      if (stall(other).digits < std::max(stalled, stall(side).digits / 2) || lacking.empty()) continue;
      if (auto limit = behind(other)) return limit;
      if (auto limit = end_of(other)) return limit;
      return Limit{lacking + " of " + other.name(), ", missing " + spell_percent(stall(other)) +
                                                        " of the time: TLPs that wait for them block the others"};
    }
  return std::nullopt;
}

/// What is busy in the device that a direction leads to, for an entry whose payload takes it.
std::optional<Limit> Search::end_of(const LinkSide& side) const {
  for (const auto& traffic : results_.traffic) {
    const Search other{results_, scenario_, traffic};
    if (!other.takes(side)) continue;
    const auto limit = other.busy(false);
    if (limit && (limit->name == side.to() || limit->name.starts_with(side.to() + " ")))
      return Limit{limit->name, limit->how + ": TLPs that wait for it block the others"};
  }
  return std::nullopt;
}

std::optional<Limit> Search::credits() const {
  if (auto limit = credits_of(path_.data)) return limit;
  return credits_of(path_.requests);
}

std::optional<Limit> Search::frames() const {
  const auto& nic = traffic_.from;
  const auto full = count(nic + ".dropped_fifo_full"), none = count(nic + ".dropped_no_buffer");
  if (traffic_.dropped_packets == 0 || full + none == 0 || has_failed(nic)) return std::nullopt;
  if (full >= none) return Limit{nic + " receive FIFO", ", full when " + std::to_string(full) + " frames came"};
  if (count(nic + ".rx_waited_fetch") > count(nic + ".rx_waited_ring"))
    return Limit{nic + " descriptor prefetch", ", too short: frames waited for descriptors that were posted"};
  return Limit{nic + " interrupt moderation", ", too long: rings ran out of buffers between interrupts"};
}

/// The pool of which the largest part is in use while the most is wanted.
std::optional<Limit> Search::held() const {
  const Resource* most = nullptr;
  for (const auto& resource : results_.resources) {
    if (resource.asked == Duration{} || share(resource.asked, resource.capacity).digits < asked_for) continue;
    if (share(resource.busy, resource.capacity).digits < saturated) continue;
    if (!uses(scenario_, traffic_, path_, resource.name)) continue;
    // Of two that are all in use the tags are the smaller: transfers wait for them while they are in flight.
    if (most == nullptr || resource.name.ends_with(" tags")) most = &resource;
  }
  if (most == nullptr) return std::nullopt;
  if (most->name.ends_with(" tags")) return Limit{most->name, ", all in use while reads waited for one"};
  return Limit{most->name, ": too few for this latency (raise `" + pool_key(most->name) + "`)"};
}

}  // namespace

Decimal share(Duration part, Duration whole) {
  return quotient(static_cast<WideInt>(part.count()) * 100, whole.count(), percent_places);
}

std::string spell_percent(Decimal percent) { return to_string(quotient(percent.digits, one_percent, 1)) + " %"; }

std::optional<Limit> find_limit(const Results& results, const scenario::Scenario& scenario,
                                const TrafficResult& traffic) {
  const Search search{results, scenario, traffic};
  if (auto limit = search.link_that_is_down()) return limit;
  if (auto limit = search.busy(true)) return limit;
  if (auto limit = search.credits()) return limit;
  if (auto limit = search.frames()) return limit;
  if (auto limit = search.held()) return limit;
  return search.busy(false);
}

}  // namespace peerpath::observe
