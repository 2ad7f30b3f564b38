#include "tools/report/network_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "tools/report/flows.hpp"
#include "tools/report/topology_tree.hpp"

namespace peerpath::report {
namespace {

constexpr double box = 76, height = 38, box_gap = 8, row = 120, edge = 16;
constexpr double bow = 26;  // of a line between two boxes of a row, above them
constexpr std::size_t most_in_a_row = 20, most_lines = 400;

/// "spine10" behind "spine9".
std::tuple<std::string, long> place_of(const std::string& name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), digits < name.size() ? std::strtol(name.c_str() + digits, nullptr, 10) : -1};
}
struct ByName {
  bool operator()(const std::string& a, const std::string& b) const { return place_of(a) < place_of(b); }
};

/// A box: a switch, or all hosts of one.
struct Box {
  std::string title, kind;
  double x = 0, y = 0;
};

class Layers {
 public:
  explicit Layers(const Json& cables) {
    for (const auto& cable : cables) {
      const auto& name = text_at(cable, "name");
      const auto arrow = name.find(" -> ");
      const auto& percent = at(cable, "busy_percent");
      if (arrow == std::string::npos || !percent.is_number()) continue;
      const auto from = name.substr(0, arrow), to = name.substr(arrow + 4);
      near_[from].insert(to);
      near_[to].insert(from);
      auto& busy = busy_[{from, to}];  // of cables side by side the busiest
      busy = std::max(busy, percent.get<double>());
    }
  }

  std::string svg() {
    rank();
    gather_hosts();
    if (!lay_out()) return "";
    draw_lines();
    if (lines_drawn_ > most_lines) return "";
    for (const auto& [name, b] : boxes_) draw(b);
    return fmt::format(
        "<div class=\"scroll\" tabindex=\"0\"><svg class=\"topology network\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "style=\"max-width:{0:.0f}px;min-width:{2:.0f}px\" role=\"img\" aria-label=\"Switches of the network in "
        "layers, "
        "with the load of the cables between them\">\n{3}{4}</svg></div>\n{5}",
        width_, bottom_, least_scale * width_, lines_, drawn_, legend({}));
  }

 private:
  bool is_host(const std::string& name) const { return near_.at(name).size() == 1; }

  /// How many cables a switch is away from the nearest host.
  void rank() {
    std::vector<std::string> now;
    for (const auto& [name, others] : near_)
      if (is_host(name)) rank_[name] = 0, now.push_back(name);
    for (int away = 1; !now.empty(); ++away) {
      std::vector<std::string> next;
      for (const auto& name : now)
        for (const auto& other : near_.at(name))
          if (rank_.try_emplace(other, away).second) next.push_back(other);
      now = std::move(next);
    }
  }

  /// Hosts of a leaf share a box, which has the busiest of their cables each way.
  void gather_hosts() {
    std::map<std::string, std::vector<std::string>, ByName> hosts;
    for (const auto& [name, others] : near_)
      if (is_host(name)) hosts[*others.begin()].push_back(name);
    for (auto& [leaf, names] : hosts) {
      std::ranges::sort(names, ByName{});
      const auto key = "hosts of " + leaf;
      const auto title = names.size() == 1 ? names.front() : names.front() + " to " + names.back();
      boxes_[key] = {title, names.size() == 1 ? "host" : std::to_string(names.size()) + " hosts"};
      rows_[0].push_back(key);
      for (const auto& name : names) {
        lines_of_[{key, leaf}] = std::max(lines_of_[{key, leaf}], busy_[{name, leaf}]);
        lines_of_[{leaf, key}] = std::max(lines_of_[{leaf, key}], busy_[{leaf, name}]);
      }
    }
    for (const auto& [name, away] : rank_) {
      if (away == 0) continue;
      boxes_[name] = {name, "switch"};
      rows_[away].push_back(name);
    }
    for (const auto& [ends, percent] : busy_)
      if (!is_host(ends.first) && !is_host(ends.second)) lines_of_[ends] = percent;
  }

  bool lay_out() {
    std::size_t widest = 0;
    for (auto& [away, names] : rows_) {
      std::ranges::sort(names, ByName{});
      widest = std::max(widest, names.size());
    }
    if (widest == 0 || widest > most_in_a_row) return false;
    width_ = 2 * edge + static_cast<double>(widest) * (box + box_gap) - box_gap;
    const auto layers = static_cast<double>(rows_.rbegin()->first);
    bottom_ = 2 * edge + bow + layers * row + height;
    for (const auto& [away, names] : rows_) {
      const auto room = width_ / static_cast<double>(names.size());
      for (std::size_t n = 0; n < names.size(); ++n) {
        auto& b = boxes_[names[n]];
        b.x = room * (static_cast<double>(n) + 0.5);
        b.y = edge + bow + (layers - away) * row + height / 2;
      }
    }
    return true;
  }

  /// One line for both directions, with the load of the busier one.
  void draw_lines() {
    for (const auto& [ends, percent] : lines_of_) {
      const auto& [from, to] = ends;
      const auto back = lines_of_.find({to, from});
      if (back != lines_of_.end() && !(from < to)) continue;
      const auto other = back == lines_of_.end() ? 0 : back->second;
      const auto &a = boxes_[from], &b = boxes_[to];
      const auto points = a.y == b.y ? fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", a.x, a.y - height / 2,
                                                   (a.x + b.x) / 2, a.y - height / 2 - bow, b.x, b.y - height / 2)
                                     : fmt::format("{:.1f},{:.1f} {:.1f},{:.1f}", a.x, a.y, b.x, b.y);
      lines_ += fmt::format(
          "<polyline class=\"{}\" points=\"{}\"><title>{} -&gt; {} {:.1f} %, back {:.1f} %</title></polyline>\n",
          load_class(std::max(percent, other)), points, escaped(a.title), escaped(b.title), percent, other);
      ++lines_drawn_;
    }
  }

  void draw(const Box& b) {
    drawn_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\"/><text class=\"name\" x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text><text class=\"kind\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        b.x - box / 2, b.y - height / 2, box, height, b.x, b.y - 2, escaped(b.title), b.x, b.y + 13, escaped(b.kind));
  }

  std::map<std::string, std::set<std::string>> near_;
  std::map<std::pair<std::string, std::string>, double> busy_, lines_of_;  ///< by direction
  std::map<std::string, int> rank_;
  std::map<int, std::vector<std::string>> rows_;
  std::map<std::string, Box> boxes_;
  double width_ = 0, bottom_ = 0;
  std::size_t lines_drawn_ = 0;
  std::string lines_, drawn_;
};

}  // namespace

std::string network_svg(const Json& results) { return Layers{at(at(results, "network"), "cables")}.svg(); }

}  // namespace peerpath::report
