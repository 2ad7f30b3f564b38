#include "tools/report/topology_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace peerpath::report {
namespace {

using Children = std::map<std::string, std::vector<Node>>;
constexpr std::size_t name_width = 13;  // bold characters that a box is wide

/// The children of each device, from the ledger, which names both ends of each link.
Children children_by_parent(const Json& results) {
  Children children;
  for (const auto& side : at(results, "ledger"))
    if (text_at(side, "direction") == "up")
      children[text_at(side, "nearer")].push_back(
          {text_at(side, "farther"), text_at(side, "link"), text_at(side, "shape"), {}, 0, 0});
  return children;
}

constexpr int deepest = 16;  // bounds the recursion if the links form no tree

void grow(Node& node, const Children& children, int depth) {
  const auto found = children.find(node.name);
  if (found == children.end() || depth == deepest) return;
  node.children = found->second;
  for (auto& child : node.children) grow(child, children, depth + 1);
}

}  // namespace

std::vector<std::string> lines_of(const std::string& name) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  while (name.size() - from > name_width) {
    const auto last = name.find_last_of(" -_./", from + name_width - 1);
    const auto end = last == std::string::npos || last < from ? from + name_width : last + 1;
    lines.push_back(name.substr(from, end - from));
    from = end;
  }
  lines.push_back(name.substr(from));
  return lines;
}

std::string kind_text(const Json& results, const Node& node) {
  auto kind = text_at(at(at(at(results, "scenario"), "devices"), node.name.c_str()), "kind");
  std::ranges::replace(kind, '_', ' ');
  if (!node.shape.empty()) kind += (kind.empty() ? "" : ", ") + node.shape;
  return kind;
}

const char* load_class(double percent) {
  if (percent < 1) return "load0";
  if (percent < 40) return "load1";
  if (percent < 70) return "load2";
  return percent < 90 ? "load3" : "load4";
}

double load(const Json& results, const std::string& link, const char* direction) {
  const auto& value = metric(results, link + "." + direction + ".utilisation_percent");
  return value.is_number() ? value.get<double>() : 0;
}

std::string rate_text(const Json& results, const std::string& link, const char* direction) {
  const bool up = std::string_view{direction} == "up";
  return fmt::format("{} {} Gb/s, {:.0f} %", up ? "&#8593;" : "&#8595;",
                     fixed(metric(results, link + "." + direction + ".wire_gbps"), 1), load(results, link, direction));
}

std::vector<Node> trees_of(const Json& results) {
  const auto children = children_by_parent(results);
  std::vector<Node> trees;
  for (const auto& side : at(results, "ledger")) {
    const auto& parent = text_at(side, "nearer");
    const auto named = [&](const Node& node) { return node.name == parent; };
    const bool is_child =
        std::ranges::any_of(children, [&](const auto& entry) { return std::ranges::any_of(entry.second, named); });
    if (is_child || std::ranges::any_of(trees, named)) continue;
    trees.push_back({parent, "", "", {}, 0, 0});
    grow(trees.back(), children, 0);
  }
  return trees;
}

}  // namespace peerpath::report
