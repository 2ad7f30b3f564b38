#include <algorithm>

#include "observe/limits.hpp"
#include "observe/link_totals.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

/// Payload that its target refused or that was read as all ones: no bottleneck kept it from arriving.
Bytes refused(const TrafficResult& traffic) { return traffic.lost + traffic.all_ones; }

/// Whether `part` is more than 0.5 % of the offered payload.
bool matters(Bytes part, const TrafficResult& traffic) {
  return static_cast<WideInt>(part.count()) * 1000 > static_cast<WideInt>(traffic.offered_payload.count()) * 5;
}

/// Whether so much of what was offered was not done because it is still on its way, rather than in a queue that grows:
/// what piles up has latencies that soon are no small part of the window.
bool is_on_its_way(std::int64_t missing, std::int64_t offered, const TrafficResult& traffic, Duration window) {
  const auto longest = traffic.latency.largest();
  return traffic.dropped_packets == 0 && longest * 8 < window && missing * 50 < offered + 100 &&
         static_cast<WideInt>(missing - 1) * window.count() <= static_cast<WideInt>(offered) * longest.count();
}

/// Whether payload neither arrived nor was refused, or was not handed over when it had: a core or a memory behind the
/// last link can be what is too slow.
bool falls_short(const TrafficResult& traffic, Duration window) {
  const Bytes missing = traffic.offered_payload - traffic.delivered_payload - refused(traffic);
  if (matters(missing, traffic) && !is_on_its_way(missing.count(), traffic.offered_payload.count(), traffic, window))
    return true;
  if (refused(traffic) > Bytes{0}) return false;
  const auto undone = traffic.offered_packets - traffic.delivered_packets - traffic.dropped_packets;
  return undone * 200 > traffic.offered_packets && !is_on_its_way(undone, traffic.offered_packets, traffic, window);
}

/// Traffic entries whose payload neither arrived nor was refused in full: something held them back.
std::vector<const TrafficResult*> falling_short(const Results& results) {
  std::vector<const TrafficResult*> lagging;
  for (const auto& traffic : results.traffic)
    if (falls_short(traffic, results.window)) lagging.push_back(&traffic);
  return lagging;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// "; BAR1 of gpu0 had no room for all of rx", for each GPU whose window is too small for a registration.
std::string full_windows(const Results& results) {
  std::string text;
  for (const auto& window : results.windows) {
    std::vector<std::string> names;
    for (const auto& registration : window.registrations)
      if (!registration.fits) names.push_back(registration.traffic);
    if (!names.empty()) text += "; BAR1 of " + window.gpu + " had no room for all of " + joined(names);
  }
  return text;
}

/// "; it holds back rx, tx"
std::string held_back(const std::vector<const TrafficResult*>& lagging) {
  std::vector<std::string> names;
  for (const auto* traffic : lagging) names.push_back(traffic->name);
  return names.empty() ? "" : "; it holds back " + joined(names);
}

/// "; busiest: link sw0-rc up, 80 %"
std::string busiest(const Results& results) {
  for (const auto& busy : rank_utilisation(results)) {
    const auto resource = std::ranges::find(results.resources, busy.name, &Resource::name);
    const bool counts_waiting = resource != results.resources.end() && resource->asked > Duration{};
    if (counts_waiting) continue;  // of what is held from request to answer, full use is no load
    if (busy.percent.digits == 0) break;
    return "; busiest: " + busy.name + ", " + spell_percent(busy.percent);
  }
  return "; nothing was busy";
}

/// "; of rx a part was refused: see the faults", or "" if no traffic entry lost payload to refusals.
std::string refusals(const Results& results) {
  std::vector<std::string> names;
  for (const auto& traffic : results.traffic)
    if (matters(refused(traffic), traffic)) names.push_back(traffic.name);
  return names.empty() ? "" : "; of " + joined(names) + " a part was refused: see the faults";
}

/// The limit, what it holds back, and what holds back the rest: what does not pass a busy link has another reason.
std::string limit_text(const Limit& limit, const Results& results, const scenario::Scenario& scenario,
                       const std::vector<const TrafficResult*>& lagging) {
  const auto held = held_by(limit, results, lagging);
  std::vector<const TrafficResult*> others;
  for (const auto* traffic : lagging)
    if (std::ranges::find(held, traffic) == held.end()) others.push_back(traffic);
  auto text = limit.name + limit.how + held_back(held);
  if (others.empty()) return text;
  const auto other = find_limit(results, scenario, others, limit.name);
  return text + "; " + (other ? other->name + other->how : "latency, or several things in turn") + held_back(others);
}

}  // namespace

std::vector<Utilisation> rank_utilisation(const Results& results) {
  std::vector<Utilisation> ranked;
  for (const auto& resource : results.resources)
    ranked.push_back({resource.name, share(resource.busy, resource.capacity)});
  for (const auto& link : results.links) {
    ranked.push_back({"link " + link.name + " up", utilisation(link.up, results.window)});
    ranked.push_back({"link " + link.name + " down", utilisation(link.down, results.window)});
  }
  for (const auto& cpu : results.cpus)
    ranked.push_back({cpu.name + " (" + std::to_string(cpu.cores) + (cpu.cores == 1 ? " core)" : " cores)"),
                      share(cpu.busy, results.window * std::int64_t{cpu.cores})});
  for (const auto& memory : results.memories) ranked.push_back({memory.name, utilisation(memory, results.window)});
  std::ranges::stable_sort(
      ranked, [](const Utilisation& a, const Utilisation& b) { return a.percent.digits > b.percent.digits; });
  return ranked;
}

Bottleneck find_bottleneck(const Results& results, const scenario::Scenario& scenario) {
  const auto lagging = falling_short(results);
  // Utilisation before a deadlock does not explain it.
  if (results.deadlock) return {"a deadlock", "a deadlock" + held_back(lagging)};
  const auto faults = refusals(results);
  if (lagging.empty()) {
    const bool offered =
        std::ranges::any_of(results.traffic, [](const auto& t) { return t.offered_payload > Bytes{}; });
    if (!faults.empty()) return {"refusals", "refusals" + faults + busiest(results)};
    if (!offered) return {"nothing", "nothing was offered" + full_windows(results)};
    return {"the arrival rate", "the arrival rate: all that was offered arrived" + busiest(results)};
  }
  if (const auto limit = find_limit(results, scenario, lagging))
    return {limit->name, limit_text(*limit, results, scenario, lagging) + faults + full_windows(results)};
  std::vector<std::string> names;
  for (const auto* traffic : lagging) names.push_back(traffic->name);
  return {"latency", "latency, or several things in turn: " + joined(names) + " fell short" + busiest(results) +
                         faults + full_windows(results)};
}

}  // namespace peerpath::observe
