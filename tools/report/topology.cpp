#include "tools/report/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace peerpath::report {
namespace {

constexpr double box_width = 132, box_height = 46, column = 190, level_height = 132, margin = 12, label_room = 60;

struct Node {
  std::string name;
  std::string link;   ///< to the parent
  std::string shape;  ///< of that link
  std::vector<Node> children;
  double x = 0, y = 0;  ///< centre
};

/// What hangs below each device: from the ledger, which names both ends of each link.
std::map<std::string, std::vector<Node>> children_by_parent(const Json& results) {
  std::map<std::string, std::vector<Node>> children;
  for (const auto& side : at(results, "ledger"))
    if (text_at(side, "direction") == "up")
      children[text_at(side, "nearer")].push_back(
          {text_at(side, "farther"), text_at(side, "link"), text_at(side, "shape"), {}, 0, 0});
  return children;
}

constexpr int deepest = 16;  // results that are no tree end here

void grow(Node& node, const std::map<std::string, std::vector<Node>>& children, int depth) {
  const auto found = children.find(node.name);
  if (found == children.end() || depth == deepest) return;
  node.children = found->second;
  for (auto& child : node.children) grow(child, children, depth + 1);
}

/// Leaves stand side by side, a parent over the middle of its children.
void place(Node& node, double& next_x, int depth) {
  node.y = margin + box_height / 2 + depth * level_height;
  if (node.children.empty()) {
    node.x = next_x + column / 2;
    next_x += column;
    return;
  }
  for (auto& child : node.children) place(child, next_x, depth + 1);
  node.x = (node.children.front().x + node.children.back().x) / 2;
}

int depth_of(const Node& node) {
  int deepest_child = 0;
  for (const auto& child : node.children) deepest_child = std::max(deepest_child, 1 + depth_of(child));
  return deepest_child;
}

std::string kind_of(const Json& results, const std::string& name) {
  return text_at(at(at(at(results, "scenario"), "devices"), name.c_str()), "kind");
}

/// Class of the style sheet that colours a load: quiet, light, medium, heavy, full.
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

/// One of the two lines of a link, beside its middle, and its rate.
std::string draw_direction(const Json& results, const Node& from, const Node& to, bool up) {
  const char* direction = up ? "up" : "down";
  const auto percent = load(results, to.link, direction);
  const double dx = up ? -5 : 5;
  const double top = from.y + box_height / 2, bottom = to.y - box_height / 2;
  // The labels stand by the lower end, where links of one parent are apart.
  const bool left = to.x < from.x;  // on the outer side of a slanting link
  const double label_y = bottom - (up ? 26 : 10);
  auto text = fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                          load_class(percent), from.x + dx, top, to.x + dx, bottom);
  text += fmt::format("<text class=\"rate{}\" x=\"{:.1f}\" y=\"{:.1f}\">{} {} Gb/s, {:.0f} %</text>",
                      left ? " left" : "", to.x + (left ? -12 : 12), label_y, up ? "&#8593;" : "&#8595;",
                      fixed(metric(results, to.link + "." + direction + ".wire_gbps"), 1), percent);
  return text;
}

std::string draw(const Json& results, const Node& node) {
  std::string text;
  for (const auto& child : node.children) {
    text += draw_direction(results, node, child, true) + draw_direction(results, node, child, false);
    text += draw(results, child);
  }
  text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\"/>", node.x - box_width / 2,
                      node.y - box_height / 2, box_width, box_height);
  text +=
      fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", node.x, node.y - 3, escaped(node.name));
  auto kind = kind_of(results, node.name);
  std::ranges::replace(kind, '_', ' ');
  if (!node.shape.empty()) kind += (kind.empty() ? "" : ", ") + node.shape;
  return text +
         fmt::format("<text class=\"kind\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", node.x, node.y + 14, escaped(kind));
}

std::vector<Node> roots(const std::map<std::string, std::vector<Node>>& children) {
  std::vector<Node> found;
  for (const auto& [parent, below] : children) {
    const bool is_child = std::ranges::any_of(children, [&parent = parent](const auto& entry) {
      return std::ranges::any_of(entry.second, [&parent](const Node& node) { return node.name == parent; });
    });
    if (!is_child) found.push_back({parent, "", "", {}, 0, 0});
  }
  return found;
}

}  // namespace

std::string topology_svg(const Json& results) {
  const auto children = children_by_parent(results);
  double width = margin + label_room;
  int depth = 0;
  std::string body;
  for (auto& root : roots(children)) {
    grow(root, children, 0);
    place(root, width, 0);
    depth = std::max(depth, depth_of(root));
    body += draw(results, root);
  }
  if (body.empty()) return "";
  const double height = 2 * margin + box_height + depth * level_height;
  return fmt::format(
      "<svg class=\"topology\" viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" role=\"img\" "
      "aria-label=\"PCIe topology with the load of each link\">\n{2}</svg>\n",
      width + margin + label_room, height, body);
}

}  // namespace peerpath::report
