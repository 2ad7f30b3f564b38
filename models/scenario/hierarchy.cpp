#include "scenario/hierarchy.hpp"

#include <algorithm>
#include <map>

#include "scenario/tree.hpp"

namespace peerpath::scenario {
namespace {

/// The number at the end of a port's name; the largest value if the name ends without one, so that it sorts last.
std::uint64_t number_of(const std::string& port) {
  const auto last_other = port.find_last_not_of("0123456789");
  const auto digits = port.substr(last_other == std::string::npos ? 0 : last_other + 1);
  constexpr std::size_t most_digits = 18;
  if (digits.empty() || digits.size() > most_digits) return ~std::uint64_t{0};
  return std::stoull(digits);
}

std::string port_name(const Link& link) {
  return split_end(link.from).device + " port to " + split_end(link.to).device;
}

class Builder {
 public:
  explicit Builder(const Scenario& scenario) : scenario_{scenario}, tree_{scenario} {}

  Hierarchy build(const std::string& name) {
    if (const auto* root = tree_.root_config(name)) {
      out_.root = name;
      out_.peer_to_peer = root->forwards_peers;
      out_.iommu = root->iommu.has_value();
      out_.host_bridge = root->host_bridge;
      add_below(name, -1, 0, pcie::FunctionKind::root_port, pcie::acs::control_of(root->acs));
    }
    out_.functions = pcie::AddressMap{out_.functions, {}}.functions();
    for (std::size_t i = 0; i < out_.functions.size(); ++i) {
      out_.acs[i].secondary_bus = out_.functions[i].secondary_bus;
      out_.acs[i].subordinate_bus = out_.functions[i].subordinate_bus;
    }
    for (const Event& event : scenario_.events)
      if (event.at == Duration{0}) happen(out_, scenario_, event);
    return std::move(out_);
  }

 private:
  int add(std::string name, pcie::FunctionKind kind, int parent, int host_bridge, std::uint16_t control = 0) {
    out_.functions.push_back({.name = std::move(name), .kind = kind, .parent = parent});
    out_.acs.push_back({.control = control, .egress_vector = ~std::uint64_t{0}});
    out_.host_bridges.push_back(host_bridge);
    return static_cast<int>(out_.functions.size()) - 1;
  }

  /// The ports of a switch or root complex, and the functions below each.
  void add_below(const std::string& name, int parent, int host_bridge, pcie::FunctionKind kind, std::uint16_t control) {
    for (const Link* link : links_in_port_order(scenario_)) {
      if (split_end(link->from).device != name) continue;
      const Device* device = tree_.find(split_end(link->to).device);
      const int bridge_above = parent < 0 ? link->host_bridge : host_bridge;
      const int port = add(port_name(*link), kind, parent, bridge_above, control);
      if (const auto* bridge = std::get_if<device::SwitchConfig>(&device->config)) {
        const int upstream =
            add(device->name + " upstream port", pcie::FunctionKind::upstream_port, port, bridge_above);
        add_below(device->name, upstream, bridge_above, pcie::FunctionKind::downstream_port,
                  pcie::acs::control_of(bridge->acs));
      } else {
        add(device->name, pcie::FunctionKind::endpoint, port, bridge_above);
      }
    }
  }

  const Scenario& scenario_;
  const Tree tree_;
  Hierarchy out_;
};

}  // namespace

std::vector<const Link*> links_in_port_order(const Scenario& scenario) {
  std::vector<const Link*> links;
  for (const Link& link : scenario.links) links.push_back(&link);
  // Only the links of one router are reordered among themselves.
  std::map<std::string, std::vector<const Link*>> of_router;
  for (const Link* link : links) of_router[split_end(link->from).device].push_back(link);
  for (auto& [router, its] : of_router)
    std::ranges::stable_sort(its, {}, [](const Link* link) { return number_of(split_end(link->from).port); });
  std::map<std::string, std::size_t> taken;
  for (auto& link : links) {
    const auto router = split_end(link->from).device;
    link = of_router[router][taken[router]++];
  }
  return links;
}

Hierarchy hierarchy_of(const Scenario& scenario, const std::string& root) { return Builder{scenario}.build(root); }

Hierarchy hierarchy_of(const Scenario& scenario) {
  const auto roots = Tree{scenario}.all<device::RootComplexConfig>();
  return hierarchy_of(scenario, roots.empty() ? std::string{} : roots.front());
}

void happen(Hierarchy& hierarchy, const Scenario& scenario, const Event& event) {
  const auto* software = event.as<event::Acs>();
  if (software == nullptr) return;
  const auto from_it = [&](const Link& link) { return split_end(link.from).device == event.device; };
  const bool has_ports = std::ranges::any_of(scenario.links, from_it);
  for (const Link& link : scenario.links) {
    if (has_ports ? !from_it(link) : split_end(link.to).device != event.device) continue;
    const auto port = std::ranges::find(hierarchy.functions, port_name(link), &pcie::Function::name);
    if (port == hierarchy.functions.end()) continue;
    hierarchy.acs[static_cast<std::size_t>(port - hierarchy.functions.begin())].control =
        pcie::acs::control_of(software->acs);
  }
}

}  // namespace peerpath::scenario
