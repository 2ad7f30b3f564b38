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

namespace {

/// Units that are all in use hold back only whoever wants more of them: by Little's law what an entry has under way or
/// waiting, on average, is what it asks for.
Duration asked_for(const observe::TrafficResult& traffic, Duration window) {
  if (traffic.offered_payload == Bytes{} || traffic.offered_packets == 0) return {};
  const auto mean = (traffic.waiting_before.count() + traffic.waiting_after.count()) / 2;
  const auto units = static_cast<WideInt>(mean) * traffic.offered_packets;
  // A backlog that grows asks for more than can be counted; far more than there is says enough.
  constexpr WideInt most = Duration::max().count() / 1024;
  return Duration{narrow(std::min<WideInt>(units * window.count() / traffic.offered_payload.count(), most))};
}

/// Times count whole for transfers that end in the window, so their sum can exceed it by what began before.
void add_slots(observe::Results& results, const std::string& name, Duration held, std::int64_t slots, Duration asked) {
  const auto all = results.window * slots;
  results.resources.push_back({name, std::min(held, all), all, false, std::max(held, asked)});
}

/// Transfers in flight of each entry that has a source of its own.
void fill_slots(observe::Results& results, const scenario::Scenario& scenario) {
  for (const auto& traffic : results.traffic) {
    if (traffic.slots == 0) continue;
    const auto entries = std::ranges::count_if(scenario.traffic, [&](const scenario::Traffic& t) {
      return t.from == traffic.from && t.with_kind([](auto kind, const auto&) { return kind.by_dma; });
    });
    const auto name = traffic.from + " transfers in flight" + (entries > 1 ? " of " + traffic.name : "");
    add_slots(results, name, traffic.held, traffic.slots, asked_for(traffic, results.window));
  }
}

/// The same where all entries of a device share them.
void fill_shared_slots(observe::Results& results, const std::string& device, const std::string& what, Duration held,
                       std::int64_t slots) {
  Duration asked{};
  for (const auto& traffic : results.traffic)
    if (traffic.from == device) asked += asked_for(traffic, results.window);
  if (held > Duration{}) add_slots(results, device + " " + what, held, slots, asked);
}

}  // namespace

void fill(observe::Results& results, const Platform& platform, const scenario::Scenario& scenario, const Meter& meter,
          const Counts& before, const Counts& after) {
  const auto& topology = platform.domain.topology();
  results.links = observe::ledger(topology, platform.labels(), before.links, after.links);
  results.conservation = observe::conservation(topology, after.links, false);

  for (std::size_t i = 0; i < results.traffic.size(); ++i)
    for (std::size_t link = 0; link < results.links.size(); ++link) {
      Bytes crossed{};
      for (const std::size_t direction : {0, 1}) {
        const auto carried = [&](const Counts& counts) {
          return meter.carried(i, counts.links.links[link][direction].accounts, PayloadOwners::Refused::included);
        };
        crossed += carried(after) - carried(before);
      }
      results.traffic[i].crossed.push_back(crossed);
    }

  Report report{results, scenario, topology, meter, before.links, after.links, after.when - before.when, after.when};
  for (const bool after_cores : {false, true})
    for (const auto& [name, config] : scenario.devices) {
      const auto& device = platform.device(name);
      if (device.reports_after_cores() == after_cores)
        device.report(report, name, before.devices.at(name), after.devices.at(name));
    }
  fill_slots(results, scenario);
  for (const auto& shared : report.slots)
    fill_shared_slots(results, shared.device, shared.what, shared.held, shared.slots);
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
