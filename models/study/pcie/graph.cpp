#include "study/pcie/graph.hpp"

#include <fmt/format.h>

#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"

namespace peerpath::study {
namespace {

/// A name as an identifier of `dot`.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

std::string edge(const std::string& from, const std::string& to, const std::string& label, const char* style) {
  return fmt::format("  {} -- {} [label={}{}];\n", quoted(from), quoted(to), quoted(label), style);
}

}  // namespace

std::string graph_text(const scenario::Scenario& scenario) {
  auto text = fmt::format(
      "graph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n",
      quoted(scenario.name));
  for (const auto& device : scenario.devices) {
    std::string kind{scenario::kind_of(device)};
    text += fmt::format("  {} [label={}];\n", quoted(device.name), quoted(device.name + "\n" + kind));
  }
  for (const auto& link : scenario.links)
    text += edge(scenario::device_of(link.from), scenario::device_of(link.to),
                 fmt::format("Gen{} x{}", link.generation, link.width), "");
  for (const auto& link : scenario.inter_socket)
    text += edge(link.from, link.to, scenario::to_text(BitRate{link.rate.bps() * link.links}), ", penwidth=3");
  for (const auto& cable : scenario.cables)
    text += edge(cable.from, cable.to, cable.rate ? scenario::to_text(*cable.rate) : "cable", ", style=dashed");
  return text + "}\n";
}

}  // namespace peerpath::study
