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

/// The scenario's entry: what it offers at once.
const scenario::Traffic* entry_of(const scenario::Scenario& scenario, const std::string& name) {
  const auto found = std::ranges::find(scenario.traffic, name, &scenario::Traffic::name);
  return found == scenario.traffic.end() ? nullptr : &*found;
}

/// Transfers or frames that an entry offers at the same time: which end of the window they fall on is chance.
std::int64_t offered_at_once(const scenario::Traffic* entry) {
  if (entry == nullptr) return 1;
  const std::int64_t queues = entry->is<scenario::traffic::Transmit>() ? entry->flows : 1;
  return queues * (entry->arrival == scenario::ArrivalLaw::burst ? entry->burst : 1);
}

/// Packets that one interrupt tells of: they are handed over at the same time. The emulator's windows take no time.
std::int64_t told_at_once(const TrafficResult& traffic, const scenario::Scenario& scenario, Duration window) {
  if (window == Duration{0}) return 0;
  for (const auto& device : scenario.devices)
    if (const auto* nic = std::get_if<device::NicConfig>(&device.config); nic != nullptr && device.name == traffic.from)
      return narrow(static_cast<WideInt>(traffic.offered_packets) * nic->interrupt_moderation.count() / window.count());
  return 0;
}

/// Whether so much of what was offered was not done because it is still on its way, rather than in a queue that grows:
/// what piles up has latencies that soon are no small part of the window.
bool is_on_its_way(std::int64_t missing, std::int64_t offered, std::int64_t at_once, const TrafficResult& traffic,
                   Duration window) {
  const auto longest = traffic.latency.largest();
  return traffic.dropped_packets == 0 && longest * 8 < window && missing * 50 < offered + 50 * at_once &&
         static_cast<WideInt>(missing - at_once) * window.count() <= static_cast<WideInt>(offered) * longest.count();
}

/// Payload that neither arrived nor was refused.
Bytes missing_payload(const TrafficResult& traffic) {
  return traffic.offered_payload - traffic.delivered_payload - refused(traffic);
}

/// Whether an entry got less than it was offered. `perhaps`: a tenth or more is missing, which its latencies do not
/// explain, but one burst does: it may have been offered just before the window ended.
enum class Shortage : std::uint8_t { no, perhaps, yes };

Shortage shortage_of_payload(const TrafficResult& traffic, const scenario::Traffic* entry, Duration window) {
  const auto missing = missing_payload(traffic).count(), offered = traffic.offered_payload.count();
  if (!matters(Bytes{missing}, traffic)) return Shortage::no;
  const Bytes largest = entry == nullptr || entry->sizes.empty() ? Bytes{1} : std::ranges::max(entry->sizes);
  if (!is_on_its_way(missing, offered, (largest * offered_at_once(entry)).count(), traffic, window))
    return Shortage::yes;
  return missing * 10 < offered || is_on_its_way(missing, offered, 0, traffic, window) ? Shortage::no
                                                                                       : Shortage::perhaps;
}

/// Payload that arrived may not have been handed over yet: a core or a memory behind the last link can be too slow.
Shortage shortage_of(const TrafficResult& traffic, const scenario::Scenario& scenario, Duration window) {
  const auto* entry = entry_of(scenario, traffic.name);
  const auto of_payload = shortage_of_payload(traffic, entry, window);
  if (of_payload == Shortage::yes || refused(traffic) > Bytes{0}) return of_payload;
  const auto undone = traffic.offered_packets - traffic.delivered_packets - traffic.dropped_packets;
  if (undone * 200 <= traffic.offered_packets) return of_payload;
  const auto at_once = offered_at_once(entry) + told_at_once(traffic, scenario, window);
  return is_on_its_way(undone, traffic.offered_packets, at_once, traffic, window) ? of_payload : Shortage::yes;
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

/// "all that was offered arrived, but for 12.5 % of rx that was on its way at the end"
std::string what_arrived(const Results& results) {
  std::vector<std::string> parts;
  for (const auto& traffic : results.traffic)
    if (const Bytes missing = missing_payload(traffic); matters(missing, traffic))
      parts.push_back(spell_percent(quotient(static_cast<WideInt>(missing.count()) * 100,
                                             traffic.offered_payload.count(), percent_places)) +
                      " of " + traffic.name);
  const std::string all = "all that was offered arrived";
  return parts.empty() ? all : all + ", but for " + joined(parts) + " that was on its way at the end";
}

/// Payload that the entries of a limit were offered and that did not arrive.
Bytes kept_back(const Results& results, const LimitResult& limit) {
  Bytes sum{};
  for (const auto& traffic : results.traffic)
    if (std::ranges::find(limit.traffic, traffic.name) != limit.traffic.end())
      sum += std::max(traffic.offered_payload - traffic.delivered_payload, Bytes{});
  return sum;
}

constexpr std::string_view unknown_limit = "latency";

/// Finds the limit of each entry by itself, then puts those together that share one.
void find_limits(Results& results, const scenario::Scenario& scenario) {
  results.limits.clear();
  for (auto& traffic : results.traffic) {
    traffic.limit = matters(refused(traffic), traffic) ? "refusals" : "the arrival rate";
    const auto shortage = shortage_of(traffic, scenario, results.window);
    if (shortage == Shortage::no) continue;
    auto limit = find_limit(results, scenario, traffic);
    if (!limit && shortage == Shortage::perhaps) continue;
    if (!limit) limit = {std::string{unknown_limit}, ", or several things in turn"};
    traffic.limit = limit->name;
    auto known = std::ranges::find(results.limits, limit->name, &LimitResult::name);
    if (known == results.limits.end()) known = results.limits.insert(known, {limit->name, limit->how, {}});
    known->traffic.push_back(traffic.name);
  }
  std::ranges::stable_sort(results.limits, [&](const LimitResult& a, const LimitResult& b) {
    return kept_back(results, a) > kept_back(results, b);
  });
}

/// The limits, each with what it holds back. Of very many the first ones: all are in results.json.
std::string limits_text(const Results& results) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t n = 0; n < std::min(most, results.limits.size()); ++n) {
    const auto& limit = results.limits[n];
    text += (n == 0 ? "" : "; ") + limit.name + limit.how + "; it holds back " + joined(limit.traffic) + limit.proof;
  }
  if (results.limits.size() > most) text += "; and " + std::to_string(results.limits.size() - most) + " more limits";
  return text;
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

void describe_limits(Results& results) {
  const auto faults = refusals(results);
  results.limit = results.limits.empty() ? "" : results.limits.front().name;
  if (!results.limits.empty()) {
    const bool unknown = results.limit == unknown_limit;
    results.bottleneck = limits_text(results) + (unknown ? busiest(results) : "") + faults + full_windows(results);
    return;
  }
  const bool offered = std::ranges::any_of(results.traffic, [](const auto& t) { return t.offered_payload > Bytes{}; });
  results.limit = !faults.empty() ? "refusals" : offered ? "the arrival rate" : "nothing";
  if (!faults.empty())
    results.bottleneck = "refusals" + faults + busiest(results);
  else if (offered)
    results.bottleneck = "the arrival rate: " + what_arrived(results) + busiest(results);
  else
    results.bottleneck = "nothing was offered" + full_windows(results);
}

void find_bottleneck(Results& results, const scenario::Scenario& scenario) {
  find_limits(results, scenario);
  describe_limits(results);
  if (!results.deadlock) return;
  // Utilisation before a deadlock does not explain it.
  std::vector<std::string> names;
  for (const auto& limit : results.limits) names.insert(names.end(), limit.traffic.begin(), limit.traffic.end());
  for (auto& traffic : results.traffic)
    if (std::ranges::find(names, traffic.name) != names.end()) traffic.limit = "a deadlock";
  results.limits.clear();
  if (!names.empty()) results.limits.push_back({"a deadlock", "", names});
  results.limit = "a deadlock";
  results.bottleneck = results.limit + (names.empty() ? "" : "; it holds back " + joined(names));
}

}  // namespace peerpath::observe
