#include "platform/traffic_setup.hpp"

#include "scenario/kinds.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {

TrafficSetup::TrafficSetup(const scenario::Scenario& scenario, Platform& platform, Meter& meter,
                           const std::vector<std::filesystem::path>& captures)
    : context_{scenario, platform, meter, captures} {
  scenario::for_each_alternative<scenario::traffic::AnyKind>(
      [&]<class What>(const What&) { kinds_.push_back(scenario::traffic::Kind<What>::set_up(context_)); });
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    name(i);
    kinds_[scenario.traffic[i].what.index()]->add(i);
  }
  for (const auto& [name, device] : platform.devices()) device->attach_copies(platform.domain);
  for (const auto& [name, device] : platform.devices()) device->attach_queue(platform.domain);
  for (const auto& kind : kinds_) kind->attached();
  meter.record_stages(scenario.run.stage_interval);
  for (const auto& device : scenario.devices)
    if (const auto* function = scenario::function_of(device))
      meter.map_requester(platform.node(device.name), function->max_read_request);
  for (const auto& [name, nic] : platform.all<Nic>()) meter.owners.map_nic(nic->node(), nic->rings()->journal());
  for (const auto& cable : scenario.cables) join(cable);
  for (const auto& kind : kinds_) kind->complete();
  platform.domain.reactor().observe(&meter);
  platform.domain.reactor().keep(&meter.owners);
  platform.domain.keep_accounts(meter.owners.accounts());
}

/// Tells the meter of the entry, and who moves its payload.
void TrafficSetup::name(std::size_t entry) {
  const auto& t = context_.entry(entry);
  auto& meter = context_.meter;
  observe::TrafficResult result;
  const auto path = context_.bounced(entry, t.to) ? scenario::DataPath::bounce : t.path;
  result.name = t.name;
  result.kind = t.kind();
  result.path = name_of(path);
  result.from = t.from;
  result.to = t.to;
  for (const auto& leg : t.legs()) result.requesters.push_back(leg.from);
  if (through_host(path)) {  // in the order of the payload's way
    const bool pulls = t.with_kind([](auto kind, const auto&) { return kind.pulls; });
    meter.owners.map_copies(context_.platform.node(t.to),
                            pulls ? pcie::Operation::memory_write : pcie::Operation::memory_read, entry);
    result.requesters.insert(pulls ? result.requesters.begin() : result.requesters.end(), t.to);
  }
  meter.add_entry(std::move(result));
}

void TrafficSetup::join(const scenario::Cable& cable) {
  auto& platform = context_.platform;
  const auto port = [&](const std::string& nic) { return EthernetPort{platform.find<Nic>(nic)->device(), 0}; };
  const auto rate = platform.find<Nic>(cable.from)->config().wire_rate;
  platform.domain.join(
      port(cable.from), port(cable.to),
      {rate, cable.delay, [&meter = context_.meter, rate](const auto& arrival) { meter.frame(arrival, rate); }});
}

}  // namespace peerpath::platform
