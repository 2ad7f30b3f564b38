#include "validation/import/hwloc.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/pcie/function_address.hpp"
#include "validation/import/pci_tree.hpp"

namespace peerpath::import {
namespace {

/// GB/s of a lane, as hwloc works them out (hwloc/pci-common.c): 8b/10b up to Gen2, 128b/130b from Gen3 on.
constexpr std::array<double, 6> lane_rates{0.25, 0.5, 0.984615, 1.969231, 3.938462, 7.876923};

/// The links of this bandwidth, the one of the most lanes first.
std::vector<pcie::LinkShape> shapes_of(double rate) {
  std::vector<pcie::LinkShape> shapes;
  for (const int width : {16, 12, 8, 4, 2, 1})
    for (std::size_t n = 0; n < lane_rates.size(); ++n)
      if (std::abs(rate / width / lane_rates[n] - 1) < 0.01) shapes.push_back({static_cast<int>(n) + 1, width});
  return shapes;
}

std::string text_of(const pcie::LinkShape& shape) {
  return "Gen" + std::to_string(shape.generation) + " x" + std::to_string(shape.width);
}

class HwlocReader {
 public:
  HwlocReader(const Xml& xml, const std::string& file) : xml_{xml}, file_{file} {}

  tl::expected<Machine, Problems> read() {
    for (const auto& child : xml_.root().children("object")) read_object(child, -1, -1);
    machine_.sockets = std::max(1, packages_);
    if (problems_.empty()) add_parts(nodes_, machine_);
    if (problems_.empty() && machine_.parts.empty())
      fail(xml_.root(), "no GPU and no NIC; was lstopo run with --no-io, or on a machine without them?");
    if (machine_.parts.size() > most_parts) fail(xml_.root(), "more than " + std::to_string(most_parts) + " devices");
    if (!problems_.empty()) return tl::unexpected{problems_};
    machine_.description = "GPUs, NICs and switches of a machine, from hwloc; no traffic";
    machine_.source = "lstopo --of xml: " + file_;
    if (unplaced_ > 0 && packages_ > 1)
      machine_.notes.push_back(std::to_string(unplaced_) +
                               " host bridges have no package in the dump; put at the first socket (assumed)");
    return std::move(machine_);
  }

 private:
  void fail(const pugi::xml_node& at, const std::string& what) {
    problems_.push_back({file_, xml_.line_of(at), 1, "", what});
  }

  void read_object(const pugi::xml_node& object, int above, int socket) {
    const auto type = value(object, "type");
    if (type == "Package" || type == "Socket") socket = packages_++;
    int at = above;
    if (type == "Bridge" && value(object, "bridge_type") == "0-1") {
      ++host_bridge_;
      if (socket < 0) ++unplaced_;
    } else if (type == "Bridge" || type == "PCIDev") {
      at = read_function(object, above, socket);
    }
    if (const auto vendor = info_of(object, "CPUVendor"); !vendor.empty()) machine_.cpu_vendor = vendor;
    for (const auto& child : object.children("object")) read_object(child, at, socket);
  }

  int read_function(const pugi::xml_node& object, int above, int socket) {
    PciNode node{.address = std::string{value(object, "pci_busid")}, .above = above};
    if (!pcie::is_function_address(node.address)) {
      fail(object, "a " + std::string{value(object, "type")} + " whose pci_busid is not such as 0000:3b:00.0");
      return above;
    }
    node.is_bridge = value(object, "type") == "Bridge";
    if (!node.is_bridge) node.kind = kind_of_class(value(object, "pci_type"));
    for (const auto& below : object.children("object"))
      if (value(below, "type") == "OSDev" && !node.kind.empty())
        node.title += (node.title.empty() ? "" : "/") + std::string{value(below, "name")};
    node.socket = std::max(0, socket);
    node.host_bridge = host_bridge_;
    read_link(object, node);
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  void read_link(const pugi::xml_node& object, PciNode& node) {
    const auto text = value(object, "pci_link_speed");
    double rate = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
    if (!text.empty() && (error != std::errc{} || end != text.data() + text.size() || !(rate >= 0)))
      return fail(object, node.address + " has a pci_link_speed that is no number");
    const auto shapes = shapes_of(rate);
    if (shapes.empty()) return;  // hidden, or of no link that PCIe has
    node.link = shapes.front();
    if (shapes.size() == 1) return;
    node.assumed = "assumed: hwloc gives the bandwidth of the link, which also " + text_of(shapes[1]) + " has";
  }

  static std::string info_of(const pugi::xml_node& object, std::string_view name) {
    for (const auto& info : object.children("info"))
      if (value(info, "name") == name) return std::string{value(info, "value")};
    return {};
  }

  const Xml& xml_;
  const std::string& file_;
  Machine machine_;
  Problems problems_;
  std::vector<PciNode> nodes_;
  int packages_ = 0, host_bridge_ = -1, unplaced_ = 0;
};

}  // namespace

tl::expected<Machine, Problems> parse_hwloc(const Xml& xml, const std::string& file) {
  return HwlocReader{xml, file}.read();
}

}  // namespace peerpath::import
