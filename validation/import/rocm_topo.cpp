#include "validation/import/rocm_topo.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace peerpath::import {
namespace {

constexpr std::string_view numa_label = "(Topology) Numa Node: ";

std::optional<int> number_at(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end != text.data() ? std::optional{value} : std::nullopt;
}

}  // namespace

tl::expected<Machine, Problems> parse_rocm_topo(std::string_view text, const std::string& file) {
  Problems problems;
  std::map<int, int> nodes;  // of each GPU; -1: the kernel does not know
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const auto gpu = line.find("GPU["), numa = line.find(numa_label);
    if (gpu == line.npos || numa == line.npos) continue;
    const auto index = number_at(line.substr(gpu + 4)), node = number_at(line.substr(numa + numa_label.size()));
    if (!index || !node || !nodes.emplace(*index, *node).second)
      problems.push_back({file, number, 1, "", "a GPU that is there twice, or whose number or node cannot be read"});
  }
  if (nodes.empty() && problems.empty())
    problems.push_back({file, 1, 1, "", "no NUMA node of a GPU; expected the output of rocm-smi --showtopo"});
  if (nodes.size() > most_parts)
    problems.push_back({file, 1, 1, "", "more than " + std::to_string(most_parts) + " devices"});
  if (!problems.empty()) return tl::unexpected{problems};
  Machine machine;
  machine.description = "GPUs of a machine, from rocm-smi --showtopo; no traffic";
  machine.source = "rocm-smi --showtopo: " + file;
  machine.cpu_vendor = "AMD";  // assumed, as most hosts of these GPUs are
  std::vector<int> sockets;
  std::string unknown;
  for (const auto& [gpu, node] : nodes) {
    const auto name = "gpu" + std::to_string(gpu);
    if (node < 0) unknown += (unknown.empty() ? "" : ", ") + name;
    const auto own = std::max(0, node);
    auto at = std::ranges::find(sockets, own);
    if (at == sockets.end()) at = sockets.insert(at, own);
    machine.parts.push_back(
        {.name = name,
         .kind = "gpu",
         .socket = static_cast<int>(at - sockets.begin()),
         .assumed = "assumed: rocm-smi does not show switches, so it may share one with other GPUs"});
  }
  machine.sockets = static_cast<int>(sockets.size());
  machine.notes.emplace_back(
      "rocm-smi shows neither switches nor NICs: each GPU has a root port of its own (assumed); add the NICs");
  if (!unknown.empty()) machine.notes.push_back("no NUMA node is known of " + unknown + "; put at node 0 (assumed)");
  return machine;
}

bool has_rocm_topo(std::string_view text) { return text.find(numa_label) != text.npos; }

}  // namespace peerpath::import
