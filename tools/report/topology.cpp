#include "tools/report/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/report/sockets.hpp"
#include "tools/report/topology_tree.hpp"

namespace peerpath::report {
namespace {

constexpr double column = 190, link_height = 86, label_room = 60;

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
    boxes += fmt::format("<text class=\"rate{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left ? " left" : "",
                         to.x + (left ? -12 : 12), label_y, rate_text(results, to.link, direction));
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
    boxes += fmt::format("<text class=\"kind\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", node.x, y,
                         escaped(kind_text(results, node)));
  }
};

}  // namespace

std::string topology_svg(const Json& results) {
  auto trees = trees_of(results);
  if (has_sockets(trees)) return sockets_svg(results, trees);
  std::size_t names = 1;
  for (const auto& root : trees) names = std::max(names, most_lines(root));
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
