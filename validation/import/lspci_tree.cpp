#include "validation/import/lspci_tree.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "validation/import/pci_tree.hpp"

namespace peerpath::import {
namespace {

bool all_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

/// "0000:00" or, of a bridge, "02-05" and "02": the bus, with its domain if it has one.
struct BusText {
  std::string domain, bus;
};
std::optional<BusText> bus_text(std::string_view text) {
  BusText out;
  if (const auto colon = text.find(':'); colon != text.npos) {
    out.domain = text.substr(0, colon);
    if (!all_hex(out.domain) || out.domain.size() < 4 || out.domain.size() > 8) return {};
    text.remove_prefix(colon + 1);
  }
  out.bus = text.substr(0, text.find('-'));
  return all_hex(out.bus) && out.bus.size() == 2 ? std::optional{out} : std::nullopt;
}

bool contains_any(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return name.find(word) != name.npos; });
}

/// By the names of pci.ids; a name that says neither is left out.
std::string kind_of_name(std::string_view name) {
  if (contains_any(name, {"Audio", "NVSwitch", "USB", "UCSI", "Bridge", "Switch", "Root", "DMA", "Management",
                          "Virtual Function"}))
    return "";
  if (contains_any(name, {"Ethernet", "ConnectX", "BlueField", "Infiniband", "InfiniBand", "NetXtreme", "Network",
                          "Gigabit", "Omni-Path", "Mellanox"}))
    return "nic";
  if (contains_any(name, {"NVIDIA Corporation G", "NVIDIA Corporation A", "NVIDIA Corporation T", "[AMD/ATI]",
                          "Instinct", "Data Center GPU", "Graphics", "VGA"}))
    return "gpu";
  return "";
}

class TreeReader {
 public:
  explicit TreeReader(const std::string& file) : file_{file} {}

  tl::expected<Machine, Problems> read(std::string_view text) {
    for (int line = 1; !text.empty(); ++line) {
      const auto end = text.find('\n');
      auto own = text.substr(0, end);
      while (!own.empty() && (own.back() == '\r' || own.back() == ' ')) own.remove_suffix(1);
      if (!own.empty() && problems_.size() < 20) read_line(own, line);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    if (problems_.empty() && named_ == 0) fail(1, "the tree names no device; expected the output of lspci -tv");
    Machine machine;
    if (problems_.empty()) add_parts(nodes_, machine);
    if (problems_.empty() && machine.parts.empty())
      fail(1, "no function has the name of a GPU or a NIC; expected the output of lspci -tv");
    if (machine.parts.size() > most_parts) fail(1, "more than " + std::to_string(most_parts) + " devices");
    if (!problems_.empty()) return tl::unexpected{problems_};
    machine.description = "GPUs, NICs and switches of a machine, from lspci -tv; no traffic";
    machine.source = "lspci -tv: " + file_;
    machine.notes.emplace_back(
        "lspci -tv has no classes, so GPUs and NICs are told by their names, and no NUMA nodes, so all are put at one "
        "socket (assumed)");
    return machine;
  }

 private:
  /// Where a branch of the tree goes on: a root bus or the bus behind a bridge.
  struct Bus {
    std::string domain, bus;
    int bridge = -1;  ///< node; -1: a root bus
    int host_bridge = 0;
  };

  void fail(int line, const std::string& what) { problems_.push_back({file_, line, 1, "", what}); }

  void read_line(std::string_view line, int number) {
    auto at = line.find_first_not_of(" |");
    if (at == line.npos) return;
    // A line goes on where the bars of an earlier one end: at column 0, or at a branch ('+' or '\').
    std::optional<Bus> bus;
    if (at > 1 || (at == 1 && line[at] != '+' && line[at] != '\\')) {
      const auto branch = branches_.find(at);
      if (branch == branches_.end()) return fail(number, "a branch that begins below none; expected a tree of lspci");
      bus = branch->second;
    }
    bool behind_bridge = false;
    while (at < line.size()) {
      const char c = line[at];
      if (c == '+' || c == '\\') {
        if (bus) branches_[at] = *bus;
        ++at;
      } else if (c == '-') {
        ++at;
      } else if (c == '[') {
        const auto end = line.find(']', at);
        const auto text = end == line.npos ? std::nullopt : bus_text(line.substr(at + 1, end - at - 1));
        if (!text || (!bus && text->domain.empty())) return fail(number, "a bus that cannot be read");
        if (bus && !behind_bridge) return fail(number, "a bus behind no bridge; expected a tree of lspci");
        bus = bus_behind(*text, bus);
        behind_bridge = false;
        at = end + 1;
      } else if (bus) {
        const auto end = std::min(line.find_first_of("- ", at), line.size());
        if (!add_function(line.substr(at, end - at), *bus))
          return fail(number, "\"" + std::string{line.substr(at, end - at)} + "\" is no function such as 00.0");
        behind_bridge = true;
        at = end;
        if (at < line.size() && line[at] == ' ') return name_function(line.substr(at));
      } else {
        return fail(number, "a function before the first bus; expected a tree of lspci");
      }
    }
  }

  Bus bus_behind(const BusText& text, const std::optional<Bus>& bus) {
    if (!bus) return {text.domain, text.bus, -1, host_bridges_++};
    auto& bridge = nodes_.back();
    bridge.is_bridge = true;
    return {bus->domain, text.bus, static_cast<int>(nodes_.size()) - 1, bus->host_bridge};
  }

  bool add_function(std::string_view text, const Bus& bus) {
    if (text.size() != 4 || text[2] != '.' || !all_hex(text.substr(0, 2)) || text[3] < '0' || text[3] > '7')
      return false;
    nodes_.push_back({.address = bus.domain + ":" + bus.bus + ":" + std::string{text},
                      .above = bus.bridge,
                      .host_bridge = bus.host_bridge});
    return true;
  }

  void name_function(std::string_view name) {
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    if (name.empty()) return;
    ++named_;
    auto& node = nodes_.back();
    if (!node.is_bridge) node.kind = kind_of_name(name);
    if (!node.kind.empty()) node.title = name;
  }

  const std::string& file_;
  Problems problems_;
  std::vector<PciNode> nodes_;
  std::map<std::size_t, Bus> branches_;  ///< by column
  int host_bridges_ = 0, named_ = 0;
};

}  // namespace

tl::expected<Machine, Problems> parse_lspci_tree(std::string_view text, const std::string& file) {
  return TreeReader{file}.read(text);
}

bool has_lspci_tree(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    const auto open = line.find('[');
    if (open != line.npos && open <= 4 && line.substr(0, open).find_first_not_of(" +-\\") == line.npos) {
      const auto close = line.find(']', open);
      if (close != line.npos && close + 1 < line.size() && line[close + 1] == '-') {
        const auto bus = bus_text(line.substr(open + 1, close - open - 1));
        if (bus && !bus->domain.empty()) return true;
      }
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace peerpath::import
