#include "platform/counts.hpp"

#include <algorithm>

#include "peerpath/scenario/bar1.hpp"
#include "peerpath/scenario/describe.hpp"
#include "platform/report.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {

Counts take_counts(Platform& platform, Instant now) {
  Counts counts;
  counts.when = now;
  counts.links = observe::take_snapshot(platform.domain.fabric(), platform.domain.topology().links.size());
  for (const auto& [name, device] : platform.devices()) counts.devices[name] = device->count(now);
  return counts;
}

void fill(observe::Results& results, const Platform& platform, const scenario::Scenario& scenario, const Meter& meter,
          const Counts& before, const Counts& after) {
  const auto& topology = platform.domain.topology();
  results.links = observe::ledger(topology, platform.labels(), before.links, after.links);
  results.conservation = observe::conservation(topology, after.links, false);

  for (std::size_t i = 0; i < results.traffic.size(); ++i)
    for (std::size_t link = 0; link < results.links.size(); ++link) {
      Bytes crossed{};
      for (const std::size_t direction : {0, 1})
        crossed += meter.carried(i, after.links.links[link][direction].accounts) -
                   meter.carried(i, before.links.links[link][direction].accounts);
      results.traffic[i].crossed.push_back(crossed);
    }

  Report report{results, scenario, topology, meter, before.links, after.links, after.when - before.when, after.when};
  for (const bool after_cores : {false, true})
    for (const auto& [name, config] : scenario.devices) {
      const auto& device = platform.device(name);
      if (device.reports_after_cores() == after_cores)
        device.report(report, name, before.devices.at(name), after.devices.at(name));
    }
  for (const auto& device : scenario.devices) {
    const auto* function = scenario::function_of(device);
    const auto asked = function == nullptr ? Duration{} : meter.reading(platform.node(device.name));
    if (asked == Duration{}) continue;
    const auto all = results.window * function->tags;
    results.resources.push_back({device.name + " tags", std::min(asked, all), all, false, asked});
  }
  for (const auto& plan : scenario::bar1_plans(scenario))
    platform.find<Gpu>(plan.gpu)->report_window(report, plan, before.devices.at(plan.gpu), after.devices.at(plan.gpu));

  for (const auto& event : scenario.events)
    if (Instant{event.at} < after.when) results.events.push_back({Instant{event.at}, scenario::to_text(event)});
  std::ranges::stable_sort(results.events, {}, &observe::EventRecord::at);
  for (const auto& [key, failure] : meter.failures()) {
    const auto [requester, status, unnoticed] = key;
    const auto what = status == pcie::Status::unsupported_request ? "unsupported request"
                      : status == pcie::Status::completer_abort   ? "completer abort"
                      : status == pcie::Status::poisoned          ? "poisoned TLP"
                      : unnoticed                                 ? "write without a receiver was not reported"
                                                                  : "completion timeout";
    results.faults.push_back({topology.nodes[requester.value()].name, what, failure.count, failure.first});
  }
}

}  // namespace peerpath::platform
