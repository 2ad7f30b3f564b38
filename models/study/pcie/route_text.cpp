#include "study/pcie/route_text.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "scenario/tree.hpp"
#include "study/pcie/socket_route.hpp"

namespace peerpath::study {

using pcie::AcsAction;
using scenario::Hierarchy;

std::string name_at(const Hierarchy& h, int function) {
  return function == pcie::at_root_complex ? h.root : h.functions[static_cast<std::size_t>(function)].name;
}

std::string id_at(const Hierarchy& h, int function) {
  return function == pcie::at_root_complex ? "" : to_string(h.functions[static_cast<std::size_t>(function)].bdf);
}

std::string control_at(const Hierarchy& h, int function) {
  if (function == pcie::at_root_complex) return "";
  const auto kind = h.functions[static_cast<std::size_t>(function)].kind;
  const bool has_acs = kind == pcie::FunctionKind::root_port || kind == pcie::FunctionKind::downstream_port;
  return has_acs ? pcie::acs::to_string(h.acs[static_cast<std::size_t>(function)].control) : "";
}

std::string said(const Hierarchy& h, const pcie::RouteHop& hop, pcie::RouteKind kind) {
  const auto control = pcie::acs::to_string(hop.because);
  switch (hop.action) {
    case AcsAction::direct:
      return "";
    case AcsAction::redirected:
      return hop.because == pcie::acs::upstream_forwarding ? "UF: forwarded upstream although the target is below"
                                                           : control + ": redirected up";
    case AcsAction::violation:
      return control + ": blocked, ACS violation";
    case AcsAction::unsupported:
      if (hop.function == pcie::at_root_complex && h.iommu && is_spoofed(kind))
        return "the IOMMU of " + h.root + " knows no such requester ID: Unsupported Request";
      return hop.function == pcie::at_root_complex
                 ? h.root + " does not forward between its ports: Unsupported Request"
                 : "without UF it accepts no request for a device below: Unsupported Request";
  }
  return "";
}

bool translates(const scenario::Scenario& s, const std::string& name) {
  return std::ranges::any_of(s.devices, [&](const auto& device) {
    const auto* nic = std::get_if<device::NicConfig>(&device.config);
    return device.name == name && nic != nullptr && nic->ats.has_value();
  });
}

bool relaxes(const scenario::Scenario& s, const std::string& name) {
  return std::ranges::any_of(s.devices, [&](const auto& device) {
    return device.name == name && std::visit(
                                      [](const auto& config) {
                                        if constexpr (requires { config.function; })
                                          return config.function.relaxed_ordering;
                                        return false;
                                      },
                                      device.config);
  });
}

namespace {

std::optional<int> endpoint(const Hierarchy& h, const std::string& name) {
  const auto found = std::ranges::find_if(h.functions, [&](const pcie::Function& function) {
    return function.kind == pcie::FunctionKind::endpoint && function.name == name;
  });
  if (found == h.functions.end()) return std::nullopt;
  return static_cast<int>(found - h.functions.begin());
}

/// Where a TLP ends on its way, and why; nothing if it arrives.
std::optional<std::string> where_it_ends(const scenario::Scenario& s, const SocketEnd& from, const SocketEnd& to,
                                         pcie::RouteKind kind) {
  if (from.h.root != to.h.root) {
    const auto route = socket_route(s, from, to, kind);
    if (route.delivered()) return std::nullopt;
    return route.hops.back().at + ": " + route.hops.back().said;
  }
  const auto& h = from.h;
  const auto route = pcie::route(h.functions, h.acs, h.peer_to_peer, from.function, to.function, kind, h.iommu);
  if (route.delivered()) return std::nullopt;
  return name_at(h, route.hops.back().function) + ": " + said(h, route.hops.back(), kind);
}

bool is_expected_to_fail(const scenario::Scenario& s, const scenario::Traffic& traffic) {
  return std::ranges::any_of(s.expect, [&](const scenario::Expectation& e) {
    return e.metric == traffic.name + ".lost_bytes" || e.metric == traffic.name + ".all_ones_bytes" ||
           e.metric == traffic.name + ".failed_transfers";
  });
}

/// An odp_nic sends to a peer only what p2pdma lets it.
bool asks_first(const scenario::Tree& tree, const scenario::Traffic& traffic) {
  const auto* from = tree.find(traffic.from);
  return from != nullptr && std::holds_alternative<device::OdpNicConfig>(from->config);
}

}  // namespace

Problems without_route(const scenario::Scenario& s) {
  const scenario::Tree tree{s};
  std::map<std::string, Hierarchy> hierarchies;
  for (const auto& root : tree.all<device::RootComplexConfig>()) hierarchies[root] = scenario::hierarchy_of(s, root);
  Problems problems;
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    const auto& traffic = s.traffic[i];
    const auto &near = hierarchies[tree.root_of(traffic.from)], &far = hierarchies[tree.root_of(traffic.to)];
    const auto from = endpoint(near, traffic.from), to = endpoint(far, traffic.to);
    if (!from || !to || scenario::through_host(traffic.path) || is_expected_to_fail(s, traffic) ||
        asks_first(tree, traffic))
      continue;
    const bool reads = traffic.is<scenario::traffic::Read>() || traffic.is<scenario::traffic::Transmit>();
    const auto request = translates(s, traffic.from) ? pcie::RouteKind::translated_request : pcie::RouteKind::request;
    const auto answer = relaxes(s, traffic.from) ? pcie::RouteKind::relaxed_completion : pcie::RouteKind::completion;
    auto end = where_it_ends(s, {near, *from}, {far, *to}, request);
    std::string tlps = reads ? "read requests" : "writes";
    if (!end && reads) {
      end = where_it_ends(s, {far, *to}, {near, *from}, answer);
      tlps = "completions";
    }
    if (end)
      problems.push_back({{},
                          0,
                          0,
                          "/traffic/" + std::to_string(i) + "/to",
                          "the " + tlps + " of " + traffic.name + " do not arrive; " + *end});
  }
  return problems;
}

}  // namespace peerpath::study
