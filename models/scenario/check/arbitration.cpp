#include <algorithm>

#include "scenario/catalogue.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"

namespace peerpath::scenario {
namespace {

/// Whether a port of `router` leads straight to `other`.
bool adjacent(const Scenario& scenario, const Device& router, const Device& other) {
  if (const auto* memory = std::get_if<device::HostMemoryConfig>(&other.config)) return memory->at == router.name;
  const auto joins = [&](const auto& link) {
    const auto from = split_end(link.from).device, to = split_end(link.to).device;
    return (from == router.name && to == other.name) || (from == other.name && to == router.name);
  };
  return std::ranges::any_of(scenario.links, joins) || std::ranges::any_of(scenario.inter_socket, joins);
}

}  // namespace

void check_arbitration(const Scenario& scenario, const Tree& tree, Problems& out) {
  for (std::size_t i = 0; i < scenario.arbitration.size(); ++i) {
    const Weight& weight = scenario.arbitration[i];
    const auto add = [&](std::string_view key, std::string message) {
      out.push_back({"", 0, 0, join("/arbitration", i) + "/" + std::string{key}, std::move(message)});
    };
    const Device* router = tree.find(weight.at);
    if (router == nullptr) {
      add("at", no_device(tree, weight.at));
      continue;
    }
    if (!has_ports(*router)) {
      add("at", what_is(*router) + "; arbitration takes place in a pcie_switch or root_complex");
      continue;
    }
    const auto check_end = [&](std::string_view key, const std::string& name) {
      const Device* device = tree.find(name);
      if (device == nullptr)
        add(key, no_device(tree, name));
      else if (!adjacent(scenario, *router, *device))
        add(key, "no link of " + weight.at + " leads straight to " + name);
    };
    check_end("from", weight.from);
    check_end("to", weight.to);
    if (weight.from == weight.to) add("to", "is the same as `from`; a port does not compete with itself");
    const auto same = [&](const Weight& w) { return w.at == weight.at && w.from == weight.from && w.to == weight.to; };
    if (std::ranges::find_if(scenario.arbitration, same) !=
        scenario.arbitration.begin() + static_cast<std::ptrdiff_t>(i))
      add("turns", "repeats an earlier entry for the same two ports");
  }
}

}  // namespace peerpath::scenario
