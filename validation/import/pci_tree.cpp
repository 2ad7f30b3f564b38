#include "validation/import/pci_tree.hpp"

#include <map>
#include <set>

namespace peerpath::import {
namespace {

class Placer {
 public:
  Placer(const std::vector<PciNode>& nodes, Machine& machine) : nodes_{nodes}, machine_{machine} {}

  void place() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (is_wanted(nodes_[i])) add_endpoint(nodes_[i]);
    if (others_ > 0)
      machine_.notes.push_back("left out: " + std::to_string(others_) + " functions that are neither GPU nor NIC");
    if (!names_.empty()) machine_.notes.push_back("in the dump " + names_);
  }

 private:
  /// Further functions of a device share the link of the first one.
  bool is_wanted(const PciNode& node) {
    if (node.is_bridge) return false;
    if (node.kind.empty()) ++others_;
    return !node.kind.empty() && devices_.insert(node.address.substr(0, node.address.rfind('.'))).second;
  }

  void add_endpoint(const PciNode& node) {
    const int above = switch_above(node);
    machine_.parts.push_back({.name = node.kind + std::to_string(counts_[node.kind]++),
                              .kind = node.kind,
                              .above = above,
                              .socket = node.socket,
                              .host_bridge = node.host_bridge,
                              .link = node.link,
                              .address = node.address,
                              .assumed = node.assumed});
    if (!node.title.empty()) names_ += (names_.empty() ? "" : ", ") + machine_.parts.back().name + " is " + node.title;
  }

  /// The part of the switch that a node is below; -1: at a root port.
  int switch_above(const PciNode& node) {
    for (int at = node.above; at >= 0; at = nodes_[static_cast<std::size_t>(at)].above) {
      const auto& bridge = nodes_[static_cast<std::size_t>(at)];
      if (depth(bridge) % 2 == 0) continue;  // a root port, or a downstream port of the switch above it
      const auto [known, fresh] = switches_.try_emplace(at, -1);
      if (fresh) {
        const int above = switch_above(bridge);
        known->second = static_cast<int>(machine_.parts.size());
        machine_.parts.push_back({.name = "switch" + std::to_string(counts_["switch"]++),
                                  .kind = "pcie_switch",
                                  .above = above,
                                  .socket = bridge.socket,
                                  .host_bridge = bridge.host_bridge,
                                  .link = bridge.link,
                                  .address = bridge.address,
                                  .assumed = bridge.assumed});
      }
      return known->second;
    }
    return -1;
  }

  /// Bridges above a node.
  int depth(const PciNode& node) const {
    int count = 0;
    for (int at = node.above; at >= 0; at = nodes_[static_cast<std::size_t>(at)].above) ++count;
    return count;
  }

  const std::vector<PciNode>& nodes_;
  Machine& machine_;
  std::map<int, int> switches_;  ///< by node: its part
  std::map<std::string, int> counts_;
  std::set<std::string> devices_;
  std::string names_;
  int others_ = 0;
};

}  // namespace

void add_parts(const std::vector<PciNode>& nodes, Machine& machine) { Placer{nodes, machine}.place(); }

std::string kind_of_class(std::string_view code) {
  return code.starts_with("02") ? "nic" : code.starts_with("03") ? "gpu" : "";
}

}  // namespace peerpath::import
