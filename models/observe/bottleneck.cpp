#include <algorithm>

#include "observe/link_totals.hpp"
#include "peerpath/observe/finish.hpp"

namespace peerpath::observe {
namespace {

constexpr std::int64_t one_percent = 10'000;  // in units of 10^-percent_places

Decimal share(Duration busy, Duration capacity) {
  return quotient(static_cast<WideInt>(busy.count()) * 100, capacity.count(), percent_places);
}

/// "98.2 %": one decimal is enough for a sentence.
std::string spell(Decimal percent) { return to_string(quotient(percent.digits, one_percent, 1)) + " %"; }

/// Payload that its target refused or that was read as all ones: no bottleneck kept it from arriving.
Bytes refused(const TrafficResult& traffic) { return traffic.lost + traffic.all_ones; }

/// Whether `part` is more than 0.5 % of the offered payload.
bool matters(Bytes part, const TrafficResult& traffic) {
  return static_cast<WideInt>(part.count()) * 1000 > static_cast<WideInt>(traffic.offered_payload.count()) * 5;
}

/// Traffic entries whose payload neither arrived nor was refused in full: something held them back.
std::vector<std::string> falling_short(const Results& results) {
  std::vector<std::string> names;
  for (const auto& traffic : results.traffic)
    if (matters(traffic.offered_payload - traffic.delivered_payload - refused(traffic), traffic))
      names.push_back(traffic.name);
  return names;
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

/// "; of rx a part was refused: see the faults", or "" if no traffic entry lost payload to refusals.
std::string refusals(const Results& results) {
  std::vector<std::string> names;
  for (const auto& traffic : results.traffic)
    if (matters(refused(traffic), traffic)) names.push_back(traffic.name);
  return names.empty() ? "" : "; of " + joined(names) + " a part was refused: see the faults";
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

std::string explain_bottleneck(const Results& results) {
  const auto lagging = falling_short(results);
  if (results.deadlock)  // utilisation before the deadlock does not explain it
    return "a deadlock" + (lagging.empty() ? "" : "; it holds back " + joined(lagging));
  auto ranked = rank_utilisation(results);
  // Offered traffic has passed the entrance already, so a busy entrance does not hold it back.
  if (!lagging.empty())
    std::erase_if(ranked, [&results](const Utilisation& busy) {
      return std::ranges::any_of(results.resources, [&busy](const Resource& resource) {
        return resource.entrance && resource.name == busy.name;
      });
    });
  if (ranked.empty() || ranked.front().percent.digits == 0) return "nothing was busy" + full_windows(results);
  const auto& busiest = ranked.front();
  auto text = busiest.name + ", busy " + spell(busiest.percent) + " of the time";
  if (ranked.size() > 1) text += "; next " + ranked[1].name + " with " + spell(ranked[1].percent);
  const auto faults = refusals(results);
  if (lagging.empty()) return text + (faults.empty() ? "; all that was offered arrived" : faults);
  if (busiest.percent.digits >= 95 * one_percent) return text + "; it holds back " + joined(lagging) + faults;
  return text + "; " + joined(lagging) +
         " fell short although nothing was saturated: one unit of several, latency, credits or tags" + faults +
         full_windows(results);
}

}  // namespace peerpath::observe
