#include "validation/import/machine.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "validation/import/sockets.hpp"

namespace peerpath::import {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_links = 20;  // `check` allows a router no more

class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_{machine}, two_sockets_{machine.sockets == 2} {}

  Preset write() {
    for (const int socket : two_sockets_ ? std::vector{0, 1} : std::vector{0}) {
      devices_[root(socket)] = {{"kind", "root_complex"}};
      devices_[two_sockets_ ? "dram" + std::to_string(socket) : "dram"] = {{"kind", "host_memory"},
                                                                           {"at", root(socket)}};
    }
    for (std::size_t i = 0; i < machine_.parts.size(); ++i) add(i);
    Json json;
    json["description"] = machine_.description;
    add_notes();
    json["source"] = machine_.source + assumptions();
    json["devices"] = devices_;
    json["links"] = links_;
    if (two_sockets_) {
      const bool amd = machine_.cpu_vendor.find("AMD") != std::string::npos;
      json["inter_socket"] = Json::array({assumed_inter_socket(amd, notes_)});
    }
    return {json.dump(2) + "\n", notes_};
  }

 private:
  std::string root(int socket) const { return two_sockets_ ? "rc" + std::to_string(socket) : "rc"; }

  void add(std::size_t index) {
    const auto& part = machine_.parts[index];
    const auto above = static_cast<std::size_t>(part.above);
    const auto from = part.above < 0 ? root(part.socket) : machine_.parts[above].name;
    if ((part.above >= 0 && left_out_.contains(above)) || ports_[from] == most_links) {
      left_out_.insert(index);
      return;
    }
    ++ports_[from];
    devices_[part.name] = {{"kind", part.kind}};
    if (!part.address.empty()) devices_[part.name]["address"] = part.address;
    if (part.wire_rate) devices_[part.name]["wire_rate"] = std::to_string(part.wire_rate->bps() / 1'000'000) + "Mbps";
    Json link{{"from", from}, {"to", part.name}};
    if (part.link) {
      link["generation"] = part.link->generation;
      link["width"] = part.link->width;
    } else {
      without_link_ += (without_link_.empty() ? "" : ", ") + part.name;
    }
    const int bridge = host_bridge(part);
    if (part.above < 0 && bridge > 0) link["host_bridge"] = bridge;
    if (!part.assumed.empty()) link["source"] = part.assumed;
    links_.push_back(link);
  }

  /// Numbered as they come in the root complex.
  int host_bridge(const Part& part) {
    if (part.above >= 0) return 0;
    auto& known = bridges_[root(part.socket)];
    const std::pair own{part.socket, part.host_bridge};
    const auto at = std::ranges::find(known, own);
    const auto number = static_cast<int>(at - known.begin());
    if (at == known.end()) known.push_back(own);
    return number;
  }

  void add_notes() {
    if (machine_.sockets > 2)
      notes_.push_back("the devices are at " + std::to_string(machine_.sockets) +
                       " NUMA nodes; here they share one root complex, with a host bridge for each and one latency");
    if (!without_link_.empty())
      notes_.push_back("the dump has no link of these, so they have the default: " + without_link_);
    std::string names;
    for (const auto index : left_out_) names += (names.empty() ? "" : ", ") + machine_.parts[index].name;
    if (!names.empty())
      notes_.push_back("a router of a scenario has at most " + std::to_string(most_links) +
                       " ports; left out: " + names);
    notes_.insert(notes_.end(), machine_.notes.begin(), machine_.notes.end());
    notes_.emplace_back(
        "payload sizes, tags and ACS are not in this kind of dump, and have their defaults; those of `lspci -vvv` are");
  }

  /// What the preset holds beyond the dump, for those who read it later.
  std::string assumptions() const {
    std::string text = "; payload sizes, tags and ACS are the defaults of a scenario";
    if (!without_link_.empty()) text += ", and so are the links of " + without_link_;
    return text;
  }

  const Machine& machine_;
  bool two_sockets_;
  Json devices_ = Json::object(), links_ = Json::array();
  std::map<std::string, int> ports_;
  std::map<std::string, std::vector<std::pair<int, int>>> bridges_;
  std::set<std::size_t> left_out_;
  std::string without_link_;
  std::vector<std::string> notes_;
};

}  // namespace

Preset to_preset(const Machine& machine) { return Writer{machine}.write(); }

}  // namespace peerpath::import
