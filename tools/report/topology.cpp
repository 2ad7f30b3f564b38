#include "tools/report/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace peerpath::report {
namespace {

constexpr double box_width = 132, column = 190, link_height = 86, margin = 12, label_room = 60;
constexpr double name_height = 17, kind_height = 29;  // of one line of the name, and of the rest of a box
constexpr std::size_t name_width = 13;                // bold characters that a box is wide

/// A drawing wider than the page is scaled down to this factor at most, so that its text stays readable.
constexpr double least_scale = 0.8;

/// The name in lines that fit into a box: broken after separators, or within a word that is too long.
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

struct Node {
  std::string name;
  std::string link;   ///< to the parent
  std::string shape;  ///< of that link
  std::vector<Node> children;
  double x = 0, y = 0;  ///< centre
};

/// The children of each device, from the ledger, which names both ends of each link.
std::map<std::string, std::vector<Node>> children_by_parent(const Json& results) {
  std::map<std::string, std::vector<Node>> children;
  for (const auto& side : at(results, "ledger"))
    if (text_at(side, "direction") == "up")
      children[text_at(side, "nearer")].push_back(
          {text_at(side, "farther"), text_at(side, "link"), text_at(side, "shape"), {}, 0, 0});
  return children;
}

constexpr int deepest = 16;  // bounds the recursion if the links form no tree

void grow(Node& node, const std::map<std::string, std::vector<Node>>& children, int depth) {
  const auto found = children.find(node.name);
  if (found == children.end() || depth == deepest) return;
  node.children = found->second;
  for (auto& child : node.children) grow(child, children, depth + 1);
}

/// Leaves stand side by side, a parent over the middle of its children.
void place(Node& node, double& next_x, int depth, double box_height) {
  node.y = margin + box_height / 2 + depth * (box_height + link_height);
  if (node.children.empty()) {
    node.x = next_x + column / 2;
    next_x += column;
    return;
  }
  for (auto& child : node.children) place(child, next_x, depth + 1, box_height);
  node.x = (node.children.front().x + node.children.back().x) / 2;
}

int depth_of(const Node& node) {
  int deepest_child = 0;
  for (const auto& child : node.children) deepest_child = std::max(deepest_child, 1 + depth_of(child));
  return deepest_child;
}

std::size_t most_lines(const Node& node) {
  auto most = lines_of(node.name).size();
  for (const auto& child : node.children) most = std::max(most, most_lines(child));
  return most;
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

/// Lines are drawn before boxes, so that no line crosses a text.
struct Drawing {
  const Json& results;
  double box_height = 0;
  std::string lines, boxes;

  /// One of the two lines of a link, and its rate.
  void draw_direction(const Node& from, const Node& to, bool up) {
    const char* direction = up ? "up" : "down";
    const auto percent = load(results, to.link, direction);
    const double dx = up ? -5 : 5;
    const double top = from.y + box_height / 2, bottom = to.y - box_height / 2;
    // The labels stand by the lower end, where links of one parent are apart.
    const bool left = to.x < from.x;  // on the outer side of a slanting link
    const double label_y = bottom - (up ? 26 : 10);
    lines += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                         load_class(percent), from.x + dx, top, to.x + dx, bottom);
    boxes += fmt::format("<text class=\"rate{}\" x=\"{:.1f}\" y=\"{:.1f}\">{} {} Gb/s, {:.0f} %</text>",
                         left ? " left" : "", to.x + (left ? -12 : 12), label_y, up ? "&#8593;" : "&#8595;",
                         fixed(metric(results, to.link + "." + direction + ".wire_gbps"), 1), percent);
  }

  void draw(const Node& node) {
    for (const auto& child : node.children) {
      draw_direction(node, child, true);
      draw_direction(node, child, false);
      draw(child);
    }
    boxes += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
                         node.x - box_width / 2, node.y - box_height / 2, box_width, box_height);
    const auto names = lines_of(node.name);
    double y = node.y - (name_height * static_cast<double>(names.size()) + kind_height) / 2 + 20;
    for (const auto& line : names) {
      boxes += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", node.x, y, escaped(line));
      y += name_height;
    }
    auto kind = kind_of(results, node.name);
    std::ranges::replace(kind, '_', ' ');
    if (!node.shape.empty()) kind += (kind.empty() ? "" : ", ") + node.shape;
    boxes += fmt::format("<text class=\"kind\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", node.x, y, escaped(kind));
  }
};

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
  auto trees = roots(children);
  std::size_t names = 1;
  for (auto& root : trees) {
    grow(root, children, 0);
    names = std::max(names, most_lines(root));
  }
  Drawing drawing{results, kind_height + name_height * static_cast<double>(names), "", ""};
  double width = margin + label_room;
  int depth = 0;
  for (auto& root : trees) {
    place(root, width, 0, drawing.box_height);
    depth = std::max(depth, depth_of(root));
    drawing.draw(root);
  }
  if (drawing.boxes.empty()) return "";
  width += margin + label_room;
  const double height = 2 * margin + drawing.box_height + depth * (drawing.box_height + link_height);
  return fmt::format(
      "<div class=\"scroll\"><svg class=\"topology\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "style=\"max-width:{0:.0f}px;min-width:{2:.0f}px\" role=\"img\" "
      "aria-label=\"PCIe topology with the load of each link\">\n{3}\n{4}</svg></div>\n",
      width, height, least_scale * width, drawing.lines, drawing.boxes);
}

}  // namespace peerpath::report
