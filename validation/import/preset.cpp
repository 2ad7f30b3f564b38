#include "validation/import/preset.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace peerpath::import {
namespace {

using Json = nlohmann::ordered_json;

bool is_upstream_port(const Function& f) { return f.port.starts_with("Upstream Port"); }

bool is_bridge(const Function& f) { return f.secondary.has_value() || f.kind.find("bridge") != std::string::npos; }

/// A leaf that has a link of its own; the further functions of a device share the link of function 0.
bool is_leaf(const Function& f) { return !is_bridge(f) && f.function == 0 && f.link && f.bus != 0; }

/// Functions that only do DMA, whatever class they claim: the card that pcie-bench was run on.
bool is_benchmark_card(const Function& f) {
  return f.name.find("Netronome Systems, Inc. Device 6000") != std::string::npos;
}

const char* device_kind(const Function& f) {
  if (is_benchmark_card(f)) return "dma_card";
  if (f.kind.find("Ethernet") != std::string::npos || f.kind.find("Network") != std::string::npos ||
      f.kind.find("Infiniband") != std::string::npos)
    return "nic";
  if (f.kind.find("3D") != std::string::npos || f.kind.find("VGA") != std::string::npos ||
      f.kind.find("Display") != std::string::npos)
    return "gpu";
  return "dma_card";
}

std::string size_text(Bytes size) { return std::to_string(size.count()) + "B"; }

Json function_json(const Function& f) {
  Json json;
  if (f.max_payload_supported)
    json["max_payload_supported"] = size_text(std::max(*f.max_payload_supported, Bytes{128}));
  json["max_payload"] = size_text(*f.max_payload);
  json["max_read_request"] = size_text(*f.max_read_request);
  json["tags"] = f.extended_tag.value_or(false) ? 256 : 32;
  return json;
}

class Builder {
 public:
  Builder(const std::vector<Function>& functions, std::string file) : functions_{functions}, file_{std::move(file)} {}

  tl::expected<std::string, Problems> build() {
    devices_["rc"] = {{"kind", "root_complex"}};
    devices_["dram"] = {{"kind", "host_memory"}, {"at", "rc"}};
    for (const auto& f : functions_)
      if (is_leaf(f)) add_leaf(f);
    if (links_.empty() && problems_.empty())
      problems_.push_back({file_, 0, 0, "", "no device with a PCIe link; was lspci -vvv run as root?"});
    if (!problems_.empty()) return tl::unexpected{problems_};
    Json root;
    root["description"] = "Devices and links of a machine, from its lspci dump; no traffic";
    root["source"] = "lspci -vvv: " + file_;
    root["devices"] = devices_;
    root["links"] = links_;
    return root.dump(2) + "\n";
  }

 private:
  void add_leaf(const Function& f) {
    if (!f.max_payload || !f.max_read_request) {
      problems_.push_back({file_, f.line, 1, "",
                           f.address() + " does not show MaxPayload and MaxReadReq; was lspci -vvv run as root?"});
      return;
    }
    const std::string kind = device_kind(f);
    const auto name = kind + std::to_string(counts_[kind]++);
    devices_[name] = {{"kind", kind}, {"function", function_json(f)}};
    if (kind == "dma_card" && f.ecrc_generation.value_or(false)) devices_[name]["ecrc"] = true;
    add_link(above(f), name, *f.link);
  }

  /// The switch that a function is below, or the root complex; switches on the way are added once.
  std::string above(const Function& f) {
    for (const auto* bridge = parent(functions_, f); bridge; bridge = parent(functions_, *bridge))
      if (is_upstream_port(*bridge)) return switch_named(*bridge);
    return "rc";
  }

  std::string switch_named(const Function& upstream) {
    const auto [at, fresh] = switches_.try_emplace(upstream.address(), "");
    if (fresh) {
      at->second = "switch" + std::to_string(switches_.size() - 1);
      const auto name = at->second;
      devices_[name] = {{"kind", "switch"}};
      if (upstream.max_payload_supported)
        devices_[name]["max_payload_supported"] = size_text(*upstream.max_payload_supported);
      if (!upstream.link)
        problems_.push_back({file_, upstream.line, 1, "", upstream.address() + " shows no link"});
      else
        add_link(above(upstream), name, *upstream.link);
      return name;
    }
    return at->second;
  }

  void add_link(const std::string& from, const std::string& to, pcie::LinkShape shape) {
    links_.push_back({{"from", from}, {"to", to}, {"generation", shape.generation}, {"width", shape.width}});
  }

  const std::vector<Function>& functions_;
  std::string file_;
  Problems problems_;
  Json devices_ = Json::object(), links_ = Json::array();
  std::map<std::string, int> counts_;
  std::map<std::string, std::string> switches_;
};

}  // namespace

tl::expected<std::string, Problems> to_preset(const std::vector<Function>& functions, const std::string& file) {
  return Builder{functions, file}.build();
}

}  // namespace peerpath::import
