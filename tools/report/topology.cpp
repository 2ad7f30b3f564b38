#include "tools/report/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <string_view>

#include "tools/report/flows.hpp"
#include "tools/report/topology_tree.hpp"

namespace peerpath::report {
namespace {

constexpr double gap = 184, fan = 44;  // between columns of boxes, and of it where lines slant
constexpr double row_gap = 22, title = 24, socket_gap = 50, host_gap = 28, lane = 14, cable_room = 110;
constexpr double beside = 4;                       // of the two directions of a link from its middle
constexpr double first_flow = 8, next_flow = 2.5;  // of the ways of traffic beside them
constexpr int flows_apart = 3;                     // more of them on one link share the last place
constexpr double rate_above = -17, rate_below = 26;

/// "n[1]" of "n[1].gpu0"; "" of what is in the only host.
std::string host_of(const std::string& name) {
  const auto end = name.find("].");
  return end == std::string::npos ? "" : name.substr(0, end + 1);
}

std::string own_name(const std::string& name) {
  const auto host = host_of(name);
  return host.empty() ? name : name.substr(host.size() + 1);
}

bool joins_sockets(const Node& node) { return node.shape.starts_with("inter-socket"); }

/// A root complex with what is below it, and the link by which it is joined to another one.
struct Socket {
  Node root;
  std::string to;  ///< the nearer end of the link; "" if it is the first of its host
  double top = 0, bottom = 0;
};

/// A tree whose branches may be sockets, as sockets side by side, each joined one before those that it joins.
void part(Node tree, const std::string& to, std::vector<Socket>& sockets) {
  auto other = tree.children;
  std::erase_if(tree.children, joins_sockets);
  std::erase_if(other, [](const Node& node) { return !joins_sockets(node); });
  const auto name = tree.name;
  sockets.push_back({std::move(tree), to});
  for (auto& branch : other) part(std::move(branch), name, sockets);
}

class Sideways {
 public:
  explicit Sideways(const Json& results) : results_{results}, flows_{flows_of(results)} {}

  std::string svg(const std::vector<Node>& trees) {
    std::vector<Socket> sockets;
    for (const auto& tree : trees) part(tree, "", sockets);
    for (const auto& socket : sockets) left_ = std::max(left_, outer_lane(sockets, socket));
    for (auto from = sockets.begin(); from != sockets.end();) {
      const auto host = host_of(from->root.name);
      const auto end = std::find_if(from, sockets.end(), [&](const Socket& s) { return host_of(s.root.name) != host; });
      draw_host(host, from, end);
      from = end;
    }
    for (std::size_t i = 0; i < sockets.size(); ++i)
      if (!sockets[i].to.empty()) join(sockets, i);
    draw_cables();
    return boxes_.empty() ? "" : page();
  }

 private:
  using Iterator = std::vector<Socket>::iterator;

  /// How many links pass other sockets at the left, which need room there.
  static double outer_lane(const std::vector<Socket>& sockets, const Socket& socket) {
    const auto i = &socket - sockets.data();
    return socket.to.empty() || sockets[static_cast<std::size_t>(i) - 1].root.name == socket.to ? 0 : lane * double(i);
  }

  double height_of(const Node& node) const {
    return kind_height + name_height * static_cast<double>(lines_of(own_name(node.name)).size());
  }
  double left_of(int depth) const { return 2 * margin + 2 * margin + left_ + depth * (box_width + gap); }

  /// Leaves stand below each other, a parent beside the middle of its children.
  void place(Node& node, int depth) {
    node.x = left_of(depth) + box_width / 2;
    right_ = std::max(right_, node.x + box_width / 2);
    if (node.children.empty()) {
      node.y = y_ + height_of(node) / 2;
      y_ += height_of(node) + row_gap;
      return;
    }
    const auto top = y_;
    for (auto& child : node.children) place(child, depth + 1);
    node.y = (node.children.front().y + node.children.back().y) / 2;
    y_ = std::max(y_, top + height_of(node) + row_gap);
  }

  void draw_host(const std::string& host, Iterator from, Iterator end) {
    const auto top = y_;
    y_ += host.empty() ? 0 : title;
    for (auto socket = from; socket != end; ++socket) {
      if (socket != from) y_ += socket_gap;
      socket->top = y_;
      if (end - from > 1) y_ += title;
      place(socket->root, 0);
      socket->bottom = y_;
      draw(socket->root);
    }
    const bool several = end - from > 1;
    groups_.push_back({host, top, y_ + margin, host.empty() ? -1.0 : 0.0});
    for (auto socket = from; several && socket != end; ++socket)
      groups_.push_back({"socket " + own_name(socket->root.name), socket->top, socket->bottom, margin});
    y_ += margin + host_gap;
  }

  void draw_box(const Node& node) {
    const auto height = height_of(node);
    boxes_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
                          node.x - box_width / 2, node.y - height / 2, box_width, height);
    double y = node.y - height / 2 + 20;
    for (const auto& line : lines_of(own_name(node.name))) {
      boxes_ += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", node.x, y, escaped(line));
      y += name_height;
    }
    auto plain = node;
    if (joins_sockets(node)) plain.shape.clear();  // stands at its link
    boxes_ += fmt::format("<text class=\"kind\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", node.x, y,
                          escaped(kind_text(results_, plain)));
    places_[node.name] = &places_nodes_.emplace_back(plain);
  }

  void draw_line(const std::string& link, const char* direction, const std::string& points) {
    lines_ +=
        fmt::format("<polyline class=\"{}\" points=\"{}\"/>", load_class(load(results_, link, direction)), points);
  }
  void write(double x, double y, const std::string& text, const char* more = "") {
    boxes_ += fmt::format("<text class=\"rate{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", more, x, y, text);
  }

  void draw(const Node& node) {
    draw_box(node);
    for (const auto& child : node.children) {
      const auto from = node.x + box_width / 2, to = child.x - box_width / 2;
      for (const auto* direction : {"up", "down"}) {
        const double dy = std::string_view{direction} == "up" ? -beside : beside;
        draw_line(child.link, direction,
                  fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", from, node.y + dy, from + fan, child.y + dy,
                              to, child.y + dy));
        write(to - 6, child.y + (dy < 0 ? rate_above : rate_below), rate_text(results_, child.link, direction),
              " left");
        draw_flows(node, child, std::string_view{direction} == "up");
      }
      draw(child);
    }
  }

  /// The ways of traffic by one direction of a link, at its outer side.
  void draw_flows(const Node& node, const Node& child, bool up) {
    int place = 0;
    for (const auto& flow : flows_) {
      if (!flow.goes(up ? child.name : node.name, up ? node.name : child.name)) continue;
      const double away = first_flow + next_flow * std::min(place++, flows_apart - 1), dy = up ? -away : away;
      const auto from = node.x + box_width / 2, to = child.x - box_width / 2;
      lines_ += fmt::format(
          "<polyline class=\"flow flow{}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"><title>{}</title>"
          "</polyline>",
          flow.colour, from, node.y + dy, from + fan, child.y + dy, to, child.y + dy, escaped(flow.name));
    }
  }

  /// The link from a socket to the one that it is joined to: straight if that is above it, else around those between.
  void join(const std::vector<Socket>& sockets, std::size_t i) {
    const auto& root = sockets[i].root;
    const auto near = std::ranges::find(sockets, sockets[i].to, [](const Socket& s) { return s.root.name; });
    const bool straight = near + 1 == sockets.begin() + static_cast<std::ptrdiff_t>(i);
    const auto& other = near->root;
    for (const auto* direction : {"up", "down"}) {
      const double d = std::string_view{direction} == "up" ? -beside : beside;
      const double far = left_of(0) - margin - lane * double(i) + d;
      draw_line(root.link, direction,
                straight ? fmt::format("{0:.1f},{1:.1f} {0:.1f},{2:.1f}", root.x + d, other.y + height_of(other) / 2,
                                       root.y - height_of(root) / 2)
                         : fmt::format("{0:.1f},{1:.1f} {2:.1f},{1:.1f} {2:.1f},{3:.1f} {4:.1f},{3:.1f}",
                                       other.x - box_width / 2, other.y + d, far, root.y + d, root.x - box_width / 2));
    }
    const auto x = straight ? root.x + 14 : left_of(0) - margin, y = sockets[i].top - socket_gap / 2;
    write(x, y - 10, escaped(root.shape));
    write(x, y + 4, rate_text(results_, root.link, "up"));
    write(x, y + 18, rate_text(results_, root.link, "down"));
  }

  void draw_cables() {
    double x = right_ + 2 * margin;
    for (const auto& cable : at(at(results_, "scenario"), "cables")) {
      const auto from = places_.find(text_at(cable, "from")), to = places_.find(text_at(cable, "to"));
      if (from == places_.end() || to == places_.end()) continue;
      x += lane;
      lines_ += fmt::format(
          "<polyline class=\"cable\" points=\"{0:.1f},{1:.1f} {2:.1f},{1:.1f} {2:.1f},{3:.1f} {4:.1f},{3:.1f}\"/>",
          from->second->x + box_width / 2, from->second->y, x, to->second->y, to->second->x + box_width / 2);
      const auto& rate = text_at(cable, "rate");
      labels_.emplace_back(from->second->y, "cable" + (rate.empty() ? "" : ", " + rate));
    }
    cables_ = x;
    for (const auto& [y, text] : labels_) write(x + 8, y + 4, escaped(text));
  }

  std::string page() const {
    const double right = right_ + margin;
    const double width = (labels_.empty() ? right : cables_ + cable_room) + 2 * margin;
    std::string groups;
    for (const auto& group : groups_) {
      if (group.inset < 0) continue;
      groups +=
          fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"10\"/>",
                      group.inset > 0 ? "socket" : "host", margin + group.inset, group.top,
                      right - margin - 2 * group.inset + margin, group.bottom - group.top);
      const bool host = group.inset <= 0;  // of a socket at the right: links between sockets pass at the left
      groups += fmt::format("<text class=\"group{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", host ? "" : " left",
                            host ? margin + 10 : right - 10, group.top + 17, escaped(group.name));
    }
    return fmt::format(
        "<div class=\"scroll\" tabindex=\"0\"><svg class=\"topology\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "style=\"max-width:{0:.0f}px;min-width:{2:.0f}px\" role=\"img\" "
        "aria-label=\"PCIe topology with the load of each link and the way of each "
        "traffic\">\n{3}{4}\n{5}</svg></div>\n{6}",
        width, y_ - host_gap + margin, least_scale * width, groups, lines_, boxes_, legend(flows_));
  }

  struct Group {
    std::string name;
    double top, bottom, inset;  ///< inset: 0 of a host, more of a socket in it, less of a host without a name
  };

  const Json& results_;
  std::vector<Flow> flows_;
  double left_ = 0, right_ = 0, y_ = margin, cables_ = 0;
  std::string lines_, boxes_;
  std::vector<Group> groups_;
  std::map<std::string, const Node*> places_;
  std::list<Node> places_nodes_;
  std::vector<std::pair<double, std::string>> labels_;
};

}  // namespace

std::string topology_svg(const Json& results) { return Sideways{results}.svg(trees_of(results)); }

}  // namespace peerpath::report
