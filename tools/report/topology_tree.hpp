// The trees of links that results name, and how what a drawing shows of each device is worded.
#pragma once

#include <string>
#include <vector>

#include "tools/report/html.hpp"

namespace peerpath::report {

inline constexpr double box_width = 132, margin = 12;
inline constexpr double least_scale =
    0.8;  ///< a drawing wider than the page shrinks to this; smaller text is unreadable
inline constexpr double name_height = 17, kind_height = 29;  ///< of one line of the name, and of the rest of a box

/// A device, and what is below it.
struct Node {
  std::string name;
  std::string link;   ///< to the parent
  std::string shape;  ///< of that link
  std::vector<Node> children;
  double x = 0, y = 0;  ///< centre
};

/// One tree for each device that is below no other, in the order of the ledger. Depth is bounded.
std::vector<Node> trees_of(const Json& results);

/// The name in lines that fit into a box: broken after separators, or within a word that is too long.
std::vector<std::string> lines_of(const std::string& name);

/// "pcie switch, Gen5 x16".
std::string kind_text(const Json& results, const Node& node);

/// Class of the style sheet that colours a load in percent: quiet, light, medium, heavy, full.
const char* load_class(double percent);

/// Percent of the time that a direction ("up", "down") of a link is busy.
double load(const Json& results, const std::string& link, const char* direction);

/// "&#8593; 204.1 Gb/s, 80 %" of a direction of a link.
std::string rate_text(const Json& results, const std::string& link, const char* direction);

}  // namespace peerpath::report
