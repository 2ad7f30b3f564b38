#include "validation/import/preset.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>

#include <nlohmann/json.hpp>
#include <set>

#include "core/pcie/acs.hpp"
#include "validation/import/host_trust.hpp"
#include "validation/import/sockets.hpp"

namespace peerpath::import {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_ports = 20;  // `check` allows a router no more

bool is_upstream_port(const Function& f) { return f.port.starts_with("Upstream Port"); }

bool is_bridge(const Function& f) { return f.secondary.has_value() || f.kind.find("bridge") != std::string::npos; }

/// A leaf that has a link of its own; the further functions of a device share the link of function 0. What is
/// integrated in a root complex has none; an endpoint on a root bus is in a virtual machine.
bool is_leaf(const Function& f) {
  return !is_bridge(f) && f.function == 0 && f.link && (f.bus != 0 || f.port.starts_with("Endpoint"));
}

/// Functions that only do DMA, whatever class they claim: the card that pcie-bench was run on.
bool is_benchmark_card(const Function& f) {
  return f.name.find("Netronome Systems, Inc. Device 6000") != std::string::npos;
}

const char* device_kind(const Function& f) {
  if (is_benchmark_card(f)) return "dma_card";
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](auto word) { return f.kind.find(word) != f.kind.npos; });
  };
  if (is({"Ethernet", "Network", "Infiniband"}) || f.kind.starts_with("02")) return "nic";
  if (is({"3D", "VGA", "Display"}) || f.kind.starts_with("03")) return "gpu";
  return "dma_card";
}

std::string size_text(Bytes size) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto count = size.count();
  std::size_t unit = 0;
  for (; unit + 1 < units.size() && count >= 8192 && count % 1024 == 0; ++unit) count /= 1024;
  return std::to_string(count) + units[unit];
}

std::string shape_text(pcie::LinkShape shape) {
  return "Gen" + std::to_string(shape.generation) + " x" + std::to_string(shape.width);
}

Json acs_json(std::uint16_t control) {
  if (control == 0) return "none";
  auto list = Json::array();
  for (const auto& [name, bit] : enum_names(pcie::AcsControl{}))
    if (bit != pcie::AcsControl::none && (control >> static_cast<unsigned>(bit) & 1) != 0) list.push_back(name);
  return list;
}

Json function_json(const Function& f) {
  Json json;
  if (f.max_payload_supported) json["max_payload_supported"] = size_text(*f.max_payload_supported);
  json["max_payload"] = size_text(*f.max_payload);
  json["max_read_request"] = size_text(*f.max_read_request);
  json["tags"] = f.ten_bit_tag.value_or(false) ? 768 : f.extended_tag.value_or(false) ? 256 : 32;
  return json;
}

class Builder {
 public:
  Builder(const std::vector<Function>& functions, std::string file) : functions_{functions}, file_{std::move(file)} {}

  tl::expected<Preset, Problems> build() {
    for (const auto& f : functions_)
      if (is_leaf(f) && node_of(f)) nodes_.insert(*node_of(f));
    for (const int socket : two_sockets() ? std::vector{0, 1} : std::vector{0}) {
      devices_[root(socket)] = {{"kind", "root_complex"}};
      devices_[two_sockets() ? "dram" + std::to_string(socket) : "dram"] = {{"kind", "host_memory"},
                                                                            {"at", root(socket)}};
    }
    for (const auto& f : functions_)
      if (is_leaf(f)) add_leaf(f);
    if (links_.empty() && problems_.empty())
      problems_.push_back({file_, 0, 0, "", "no device with a PCIe link; was lspci -vvv run as root?"});
    if (!problems_.empty()) return tl::unexpected{problems_};
    for (auto& [router, ports] : ports_) {
      leave_out(router, ports);
      add_ports(router, ports);
    }
    for (const auto& [name, f] : leaves_) make_way(name, *f->max_payload);
    for (const auto& [router, buses] : root_buses_) add_host_trust(router, buses);
    Json json;
    json["description"] = "Devices and links of a machine, from its lspci dump; no traffic";
    json["source"] = "lspci -vvv: " + file_;
    json["devices"] = devices_;
    json["links"] = links_;
    if (two_sockets()) json["inter_socket"] = Json::array({assumed_inter_socket(is_amd(), notes_)});
    add_notes();
    if (!events_.empty()) {
      json["events"] = events_;
      notes_.push_back(
          "ports of one router differ in ACS, which events at 0ns say: a scenario with events of its own "
          "has to repeat them");
    }
    return Preset{json.dump(2) + "\n", notes_};
  }

 private:
  /// A port of a router, and the device that it leads to.
  struct Port {
    const Function* function;  ///< nullptr: not in the dump
    std::string to, address;   ///< as named here, and in the dump
    bool to_switch;
    std::uint16_t control() const { return function == nullptr ? 0 : function->acs_control.value_or(0); }
  };

  bool two_sockets() const { return nodes_.size() == 2; }
  std::string root(int socket) const { return two_sockets() ? "rc" + std::to_string(socket) : "rc"; }
  bool is_root(const std::string& router) const { return router.starts_with("rc"); }

  /// Its own NUMA node, or that of the nearest bridge above that says one.
  std::optional<int> node_of(const Function& f) const {
    for (const auto* at = &f; at != nullptr; at = parent(functions_, *at))
      if (at->numa_node) return at->numa_node;
    return {};
  }

  /// The root complex that a function is below.
  std::string root_of(const Function& f) const {
    return root(two_sockets() && node_of(f) == std::optional{*nodes_.rbegin()} ? 1 : 0);
  }

  bool is_amd() const {
    return std::ranges::any_of(functions_, [](const Function& f) {
      return f.kind.find("Host bridge") != f.kind.npos && f.name.find("AMD") != f.name.npos;
    });
  }

  /// A GPU whose memory no request can reach makes no scenario of GPUDirect.
  void need_window(const Function& f) {
    if (!f.dead_region) return;
    problems_.push_back({file_, f.dead_region->line, 1, "",
                         f.address() + ": Region " + std::to_string(f.dead_region->number) + " is " +
                             f.dead_region->why +
                             ", so the GPU's memory has no window on the bus; dump it where the region has an address "
                             "and is enabled (firmware: Above 4G Decoding, Resizable BAR; the GPU's driver loaded)"});
  }

  void add_leaf(const Function& f) {
    if (!f.max_payload || !f.max_read_request) {
      problems_.push_back({file_, f.line, 1, "",
                           f.address() + " does not show MaxPayload and MaxReadReq; was lspci -vvv run as root?"});
      return;
    }
    if (f.max_payload_supported && *f.max_payload > *f.max_payload_supported) {
      problems_.push_back({file_, f.line, 1, "",
                           f.address() + " is set to MaxPayload " + size_text(*f.max_payload) + ", above the " +
                               size_text(*f.max_payload_supported) + " of its DevCap"});
      return;
    }
    const std::string kind = device_kind(f);
    const auto name = kind + std::to_string(counts_[kind]++);
    if (kind == "gpu") need_window(f);
    devices_[name] = {{"kind", kind}, {"address", f.address()}, {"function", function_json(f)}};
    if (kind == "gpu" && f.window) devices_[name]["bar_size"] = size_text(*f.window);
    if (kind == "dma_card" && f.ecrc_generation.value_or(false)) devices_[name]["ecrc"] = true;
    add_link(above(f), f, name, false);
    leaves_.emplace_back(name, &f);
    iommu_ = iommu_ || f.iommu_group;
  }

  /// The switch that a function is below, or the root complex; switches on the way are added once.
  std::string above(const Function& f) {
    for (const auto* bridge = parent(functions_, f); bridge; bridge = parent(functions_, *bridge))
      if (is_upstream_port(*bridge)) return switch_named(*bridge);
    return root_of(f);
  }

  std::string switch_named(const Function& upstream) {
    const auto [at, fresh] = switches_.try_emplace(upstream.address(), "");
    if (fresh) {
      at->second = "switch" + std::to_string(switches_.size() - 1);
      const auto name = at->second;
      devices_[name] = {{"kind", "pcie_switch"}, {"address", upstream.address()}};
      raise_payload(name, upstream);
      if (!upstream.link)
        problems_.push_back({file_, upstream.line, 1, "", upstream.address() + " shows no link"});
      else
        add_link(above(upstream), upstream, name, true);
      return name;
    }
    return at->second;
  }

  void add_link(const std::string& from, const Function& f, const std::string& to, bool to_switch) {
    const auto shape = *f.link;
    Json link{{"from", from}, {"to", to}, {"generation", shape.generation}, {"width", shape.width}};
    if (is_root(from))
      if (const auto bridge = host_bridge_of(f, from); bridge > 0) link["host_bridge"] = bridge;
    links_.push_back(link);
    ports_[from].push_back({parent(functions_, f), to, f.address(), to_switch});
    if (f.link_capability && f.link_capability != f.link)
      notes_.push_back(to + " (" + f.address() + "): its link was trained to " + shape_text(shape) + ", it can do " +
                       shape_text(*f.link_capability) +
                       (to.starts_with("gpu") ? "; GPUs train down when idle, so dump it under load" : ""));
  }

  /// Root buses of a root complex are numbered as they come; what stands below no bridge of the dump says nothing of
  /// its own.
  int host_bridge_of(const Function& f, const std::string& router) {
    const auto* top = &f;
    while (const auto* bridge = parent(functions_, *top)) top = bridge;
    if (top == &f && f.bus != 0) {
      notes_.push_back(f.address() + ": the bridge above it is not in the dump; put at the root complex");
      return 0;
    }
    auto& known = root_buses_[router];
    const std::pair own{top->domain, top->bus};
    auto at = std::ranges::find(known, own);
    if (at == known.end()) at = known.insert(at, own);
    return static_cast<int>(at - known.begin());
  }

  /// Routers of the fabric have so many ports; NICs and GPUs are what scenarios are about.
  void leave_out(const std::string& router, std::vector<Port>& ports) {
    std::string names;
    while (ports.size() > most_ports) {
      const auto last =
          std::find_if(ports.rbegin(), ports.rend(), [](const Port& port) { return port.to.starts_with("dma_card"); });
      if (last == ports.rend()) break;
      names += (names.empty() ? "" : ", ") + last->address;
      devices_.erase(last->to);
      links_.erase(link_to(last->to));
      ports.erase(std::next(last).base());
    }
    if (!names.empty())
      notes_.push_back(router + " has more than " + std::to_string(most_ports) +
                       " ports, the most of a scenario's; left out: " + names);
  }

  /// ACS controls are of all ports of a router; an event at 0ns can change the port above a device, not above a switch.
  void add_ports(const std::string& router, const std::vector<Port>& ports) {
    std::map<std::uint16_t, int> votes;
    for (const Port& port : ports) votes[port.control()] += port.to_switch ? 1000 : 1;
    const auto common = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
    if (common != 0) devices_[router]["acs"] = acs_json(common);
    for (const Port& port : ports) {
      if (port.function != nullptr && is_root(router)) raise_payload(router, *port.function);
      if ((port.control() & pcie::acs::egress_control) != 0)
        notes_.push_back(port.function->address() +
                         ": lspci does not show which peers Egress Control forbids; here EC "
                         "forbids all");
      if (port.control() == common) continue;
      if (port.to_switch)
        notes_.push_back(port.function->address() + ": its ACS (" + pcie::acs::to_string(port.control()) +
                         ") is left out: the other ports of " + router + " have " + pcie::acs::to_string(common));
      else
        events_.push_back({{"at", "0ns"}, {"kind", "acs"}, {"device", port.to}, {"acs", acs_json(port.control())}});
    }
  }

  /// Root ports differ (those of a chipset take less); each device has agreed with its own.
  void raise_payload(const std::string& router, const Function& port) {
    if (!port.max_payload_supported) return;
    auto& most = payloads_[router];
    most = std::max(most, *port.max_payload_supported);
    devices_[router]["max_payload_supported"] = size_text(most);
  }

  /// What a device was set to passes its way, even where the dump lacks the ports that say so.
  void make_way(const std::string& device, Bytes payload) {
    for (auto link = link_to(device); link != links_.end(); link = link_to((*link)["from"])) {
      const std::string router = (*link)["from"];
      auto& most = payloads_.try_emplace(router, Bytes{512}).first->second;  // the default of routers
      if (most >= payload) continue;
      most = payload;
      devices_[router]["max_payload_supported"] = size_text(most);
    }
  }

  Json::iterator link_to(const std::string& device) {
    return std::ranges::find(links_, device, [](const Json& l) { return l["to"].get<std::string>(); });
  }

  /// The least of what the kernel makes of the host bridges that have devices.
  void add_host_trust(const std::string& router, const std::vector<std::pair<int, int>>& buses) {
    auto least = pcie::HostBridgeList::listed;
    const Function* whose = nullptr;
    for (const auto& [domain, bus] : buses) {
      const auto* bridge = host_bridge_device(functions_, domain, bus);
      if (host_trust(bridge) <= least) continue;
      least = host_trust(bridge);
      whose = bridge;
    }
    if (least == pcie::HostBridgeList::listed) return;
    devices_[router]["host_bridge"] = name_of(least);
    const auto name = whose == nullptr ? "a root bus that begins with neither 00.0 nor a root port"
                                       : whose->address() + ", " + whose->name;
    notes_.push_back(router + ".host_bridge is " + std::string{name_of(least)} + ": " +
                     (least == pcie::HostBridgeList::unlisted
                          ? "Linux's list has no " + name + "; with an AMD CPU of family 17h or later set listed"
                          : "Linux's list has " + name + ", for one host bridge alone"));
  }

  void add_notes() {
    if (nodes_.size() > 2)
      notes_.push_back("the devices are at " + std::to_string(nodes_.size()) +
                       " NUMA nodes; here they share one root complex, with one latency");
    if (iommu_)
      notes_.push_back(
          "the machine has IOMMU groups, so its IOMMU is on; unless it passes through (iommu=pt), add \"iommu\": {} "
          "to " +
          std::string{two_sockets() ? "rc0 and rc1" : "rc"});
  }

  const std::vector<Function>& functions_;
  std::string file_;
  Problems problems_;
  Json devices_ = Json::object(), links_ = Json::array(), events_ = Json::array();
  std::map<std::string, int> counts_;
  std::vector<std::pair<std::string, const Function*>> leaves_;
  std::map<std::string, std::string> switches_;
  std::map<std::string, std::vector<Port>> ports_;
  std::map<std::string, Bytes> payloads_;
  std::map<std::string, std::vector<std::pair<int, int>>> root_buses_;  ///< of each root complex: domain and bus
  std::set<int> nodes_;                                                 ///< NUMA nodes with a leaf
  bool iommu_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

tl::expected<Preset, Problems> to_preset(const std::vector<Function>& functions, const std::string& file) {
  return Builder{functions, file}.build();
}

}  // namespace peerpath::import
