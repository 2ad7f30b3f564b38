#include "platform/hardware_events.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "peerpath/base/fail.hpp"

namespace peerpath::platform {
namespace {

namespace event = scenario::event;

using scenario::device_of;

std::uint16_t control_of(const device::SwitchConfig& config) { return pcie::acs::control_of(config.acs); }
std::uint16_t control_of(const device::RootComplexConfig& config) { return pcie::acs::control_of(config.acs); }
std::uint16_t control_of(const auto&) { return 0; }

const device::RootComplexConfig& root_config(const scenario::Scenario& scenario, const std::string& name) {
  const auto found = std::ranges::find(scenario.devices, name, &scenario::Device::name);
  return std::get<device::RootComplexConfig>(found->config);
}

}  // namespace

HardwareEvents::HardwareEvents(const scenario::Scenario& scenario, Platform& platform)
    : scenario_{scenario}, platform_{platform}, faults_{scenario, platform} {
  for (const auto& link : scenario.links) {
    controls_[device_of(link.to)] = 0;
    shapes_[device_of(link.to)] = {link.generation, link.width};
  }
  for (const auto& device : scenario.devices)
    if (const auto ports = ports_of(device.name); !ports.empty() && ports.front() != device.name)
      set_acs(device.name, std::visit([](const auto& config) { return control_of(config); }, device.config));
  spoofing_ =
      std::ranges::any_of(scenario.events, [](const scenario::Event& e) { return e.is<event::WrongRequesterId>(); });
  const auto refuses = [&](const auto& root) {
    const auto& config = root_config(scenario, root.first);
    return refuses_strangers(config) || !config.forwards_peers || keeps_from_crossing(root.first);
  };
  acs_in_play_ = std::ranges::any_of(platform.all<RootComplex>(), refuses) ||
                 std::ranges::any_of(controls_, [](const auto& port) { return port.second != 0; }) ||
                 std::ranges::any_of(scenario.events, [](const scenario::Event& e) { return e.is<event::Acs>(); });
  if (acs_in_play_) add_traps();
  if (faults_.any())
    platform.domain.reactor().tamper(
        [this](fabric::NodeId from, fabric::Transaction& t) { return faults_.change(from, t); });
  if (faults_.refuse_writes())
    for (const auto& [name, device] : platform.devices()) device->count_refused_writes();
  for (const auto& event : scenario.events) schedule(event);
}

/// What is below each port of a switch or root complex; of another device, itself. The root complex of a socket may
/// have no port.
std::vector<std::string> HardwareEvents::ports_of(const std::string& device) const {
  std::vector<std::string> below;
  for (const auto& link : scenario_.links)
    if (device_of(link.from) == device) below.push_back(device_of(link.to));
  return below.empty() && platform_.find<RootComplex>(device) == nullptr ? std::vector{device} : below;
}

const scenario::Link& HardwareEvents::link_above(const std::string& device) const {
  const auto found = std::ranges::find_if(scenario_.links, [&](const auto& l) { return device_of(l.to) == device; });
  require(found != scenario_.links.end(), "an event at a device without a link");
  return *found;
}

/// All controls that a port has one after the other.
std::vector<std::uint16_t> HardwareEvents::controls_of(const std::string& below) const {
  std::vector controls{controls_.at(below)};
  for (const auto& event : scenario_.events) {
    const auto ports = ports_of(event.device);
    if (const auto* acs = event.as<event::Acs>(); acs != nullptr && std::ranges::find(ports, below) != ports.end())
      controls.push_back(pcie::acs::control_of(acs->acs));
  }
  return controls;
}

std::uint16_t HardwareEvents::ever_on(const std::string& below) const {
  const auto all = controls_of(below);
  return std::accumulate(all.begin(), all.end(), std::uint16_t{0}, std::bit_or<std::uint16_t>{});
}

std::uint16_t HardwareEvents::always_on(const std::string& below) const {
  const auto all = controls_of(below);
  return std::accumulate(all.begin(), all.end(), all.front(), std::bit_and<std::uint16_t>{});
}

/// Whether ports of a switch below may redirect to its port what is meant for others of them.
bool HardwareEvents::may_get_back(const std::string& below) const {
  if (platform_.find<PcieSwitch>(below) == nullptr) return false;
  constexpr auto redirecting = pcie::acs::request_redirect | pcie::acs::completion_redirect;
  return std::ranges::any_of(ports_of(below), [&](const auto& further) {
    return further != below && ((ever_on(further) & redirecting) != 0 || may_get_back(further));
  });
}

/// Whether what is below a port may carry a wrong requester ID.
bool HardwareEvents::spoofs(const std::string& below) const {
  if (std::ranges::any_of(scenario_.events, [&](const scenario::Event& event) {
        return event.is<event::WrongRequesterId>() && event.device == below;
      }))
    return true;
  return platform_.find<PcieSwitch>(below) != nullptr &&
         std::ranges::any_of(ports_of(below), [&](const auto& further) { return further != below && spoofs(further); });
}

/// The controls by which a port may block a TLP.
std::uint16_t HardwareEvents::blocking(const std::string& below) const {
  constexpr std::uint16_t always = pcie::acs::egress_control | pcie::acs::translation_blocking;
  return spoofs(below) ? always | pcie::acs::source_validation : always;
}

/// Routers whose ports may block a TLP get an endpoint that answers it: ports with Egress Control or Translation
/// Blocking, with Source Validation where it finds something, and ports that may get back what is meant for below; and
/// a root complex that does not forward, or whose IOMMU refuses what it does not know.
void HardwareEvents::add_traps() {
  platform_.domain.allow_strays();
  const auto add = [&](const std::string& name, bool refuses) {
    const auto ports = ports_of(name);
    if (std::ranges::any_of(ports, [&](const auto& below) { return (ever_on(below) & blocking(below)) != 0; }))
      traps_[name].violation = platform_.add_trap(name, pcie::Status::completer_abort);
    if (refuses) traps_[name].unsupported = platform_.add_trap(name, pcie::Status::unsupported_request);
  };
  for (const auto& [name, bridge] : platform_.all<PcieSwitch>())
    add(name, std::ranges::any_of(ports_of(name), [&](const auto& below) { return may_get_back(below); }));
  for (const auto& [name, root] : platform_.all<RootComplex>()) {
    const auto ports = ports_of(name);
    const auto& config = root_config(scenario_, name);
    const bool forwards = config.forwards_peers;
    add(name, (!forwards && ports.size() > 1) || refuses_strangers(config) || keeps_from_crossing(name) ||
                  std::ranges::any_of(ports, [&](const auto& below) {
                    return may_get_back(below) &&
                           (!forwards || (always_on(below) & pcie::acs::upstream_forwarding) == 0);
                  }));
  }
}

bool HardwareEvents::keeps_from_crossing(const std::string& root) const {
  return std::ranges::any_of(scenario_.inter_socket, [&](const auto& link) {
    return !link.forwards_peers && (link.from == root || link.to == root);
  });
}

void HardwareEvents::set_acs(const std::string& device, std::uint16_t control) {
  for (const auto& below : ports_of(device)) controls_[below] = control;
}

void HardwareEvents::built(const fabric::Topology&, fabric::Fabric& fabric) {
  if (acs_in_play_) route(fabric);
}

/// Sets those routes that differ from what is in force.
void HardwareEvents::route(fabric::Fabric& fabric) {
  fabric::AcsHierarchy hierarchy;
  hierarchy.roots.clear();
  for (const auto& [name, root] : platform_.all<RootComplex>()) {
    if (root->memory.peer == nullptr) continue;  // nothing there refuses anything
    const auto& config = root_config(scenario_, name);
    hierarchy.roots.push_back(
        {root->node(), platform_.domain.link_of(root->memory), config.forwards_peers, config.iommu.has_value()});
  }
  if (!scenario_.inter_socket.empty())
    for (const auto& [name, memory] : platform_.all<HostMemory>()) hierarchy.memories.insert(memory->node());
  for (const auto& link : scenario_.inter_socket) hierarchy.crossings[platform_.crossing(link)] = link.forwards_peers;
  hierarchy.spoofing = spoofing_;
  for (const auto& [device, control] : controls_)
    hierarchy.ports[platform_.link_above(device)] = {.control = control, .egress_vector = ~std::uint64_t{0}};
  for (const auto& [name, traps] : traps_) hierarchy.traps[platform_.node(name)] = traps;
  std::set<fabric::Route> wanted;
  for (const auto& r : fabric::acs_routes(platform_.domain.topology(), hierarchy)) {
    wanted.insert(r);
    if (!in_force_.contains(r)) fabric.set_route(r);
  }
  in_force_ = std::move(wanted);
  for (const auto& [device, trap] : gone_) divert(fabric, device, trap);
}

/// From now on what would leave the router above the device towards it does so by `egress`. What ACS blocks or sends up
/// does not come to that port.
void HardwareEvents::divert(fabric::Fabric& fabric, const std::string& device, fabric::LinkId egress) {
  const auto router = platform_.node(device_of(link_above(device).from));
  const auto natural = platform_.link_above(device);
  const auto& links = platform_.domain.topology().links;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const fabric::LinkId ingress{static_cast<std::uint16_t>(l)};
    if (links[l].a != router && links[l].b != router) continue;
    for (std::size_t kind = 0; kind < pcie::route_kinds; ++kind) {
      fabric::Route route{router, ingress, static_cast<pcie::RouteKind>(kind), platform_.node(device), {}};
      const auto acs = in_force_.lower_bound(route);
      const bool known = acs != in_force_.end() && std::tie(acs->router, acs->ingress, acs->kind, acs->target) ==
                                                       std::tie(route.router, route.ingress, route.kind, route.target);
      if (known && acs->egress != natural) continue;
      route.egress = egress;
      fabric.set_route(route);
    }
  }
}

/// The port above the device is down: it answers requests with Unsupported Request (PCIe Base Spec 2.9.1), completions
/// are lost, and nothing that the device does from then on comes out. What it had sent before still arrives. It is back
/// when no outage is left; what fell off the bus stays away.
void HardwareEvents::take_away(const scenario::Event& event, const event::PortReset* reset) {
  platform_.domain.allow_strays();
  const auto above = device_of(link_above(event.device).from);
  if (!traps_[above].unsupported)
    traps_[above].unsupported = platform_.add_trap(above, pcie::Status::unsupported_request);
  const auto trap = *traps_[above].unsupported;
  at(event.at, [this, &event, trap](fabric::Fabric& fabric) {
    ++outages_[event.device];
    gone_[event.device] = trap;
    divert(fabric, event.device, trap);
  });
  if (reset == nullptr) return;
  at(event.at + reset->outage, [this, &event](fabric::Fabric& fabric) {
    if (--outages_[event.device] > 0) return;
    gone_.erase(event.device);
    divert(fabric, event.device, platform_.link_above(event.device));
  });
}

void HardwareEvents::at(Duration when, std::function<void(fabric::Fabric&)> action) {
  platform_.domain.reactor().at(Instant{when}, std::move(action));
}

void HardwareEvents::schedule(const scenario::Event& event) {
  std::visit([&](const auto& what) { schedule(event, what); }, event.what);
}

void HardwareEvents::schedule(const scenario::Event& event, const event::Acs& what) {
  at(event.at, [this, &event, &what](fabric::Fabric& fabric) {
    set_acs(event.device, pcie::acs::control_of(what.acs));
    route(fabric);
  });
}

void HardwareEvents::schedule(const scenario::Event& event, const event::LinkDown&) {
  at(event.at, [this, &event](fabric::Fabric& fabric) {
    down_.insert(event.device);
    bring_up(fabric, event.device);
  });
}

void HardwareEvents::schedule(const scenario::Event& event, const event::LinkUp&) {
  at(event.at, [this, &event](fabric::Fabric& fabric) {
    down_.erase(event.device);
    bring_up(fabric, event.device);
  });
}

void HardwareEvents::schedule(const scenario::Event& event, const event::BitError& what) {
  at(event.at, [this, &event, &what](fabric::Fabric& fabric) {
    fabric.strike(platform_.link_above(event.device), direction(event, what.way));
  });
}

void HardwareEvents::schedule(const scenario::Event& event, const event::CreditLeak& what) {
  at(event.at, [this, &event, &what](fabric::Fabric& fabric) {
    fabric.leak_credits(platform_.link_above(event.device), direction(event, what.way), what.tlp_class,
                        {what.headers, what.data});
  });
}

void HardwareEvents::set_carrier(const scenario::Event& event, bool on) {
  at(event.at,
     [this, &event, on](fabric::Fabric&) { platform_.find<Nic>(event.device)->behaviour().datapath().set_link(on); });
}

void HardwareEvents::schedule(const scenario::Event& event, const event::FrameFault&) {
  problems_.push_back({"", 0, 0, "/events/" + std::to_string(&event - scenario_.events.data()) + "/kind",
                       "the model does not lose or change frames on the wire; use --on emulator"});
}

/// A link is up unless somebody took it down or it is in recovery, be it because of several events.
void HardwareEvents::bring_up(fabric::Fabric& fabric, const std::string& device) {
  fabric.set_link(platform_.link_above(device), !down_.contains(device) && recovering_[device] == 0);
}

/// The link is in recovery during the outage; what is in the buffers of its ends waits.
void HardwareEvents::schedule(const scenario::Event& event, const event::Retrain& what) {
  at(event.at, [this, &event, &what](fabric::Fabric& fabric) {
    ++recovering_[event.device];
    if (what.outage > Duration{0}) bring_up(fabric, event.device);
  });
  at(event.at + what.outage, [this, &event, &what](fabric::Fabric& fabric) {
    auto& shape = shapes_.at(event.device);
    if (what.generation != 0) shape.generation = what.generation;
    if (what.width != 0) shape.width = what.width;
    platform_.retrain(fabric, event.device, shape);
    --recovering_[event.device];
    bring_up(fabric, event.device);
  });
}

}  // namespace peerpath::platform
