#include "tools/report/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace peerpath::report {
namespace {

constexpr double name_room = 96, bar_room = 420, number_room = 250, row_height = 20;
/// Letters of 12 px are drawn at this share of their size at least; in a narrower window the drawing scrolls.
constexpr double least_text = 0.85;

struct Bar {
  std::string name, doc;
  double mean_ns = 0, p50_ns = 0, p99_ns = 0;
};

std::vector<Bar> bars_of(const Json& traffic) {
  std::vector<Bar> bars;
  for (const auto& stage : at(traffic, "stages")) {
    const auto count = at(stage, "count").get<double>();
    if (count > 0)
      bars.push_back({text_at(stage, "name"), text_at(stage, "doc"), at(stage, "sum_fs").get<double>() * 1e-6 / count,
                      at(stage, "p50_ns").get<double>(), at(stage, "p99_ns").get<double>()});
  }
  return bars;
}

std::string spelled(double ns) {
  return ns >= 1000 ? fmt::format("{:.2f} &#181;s", ns / 1000) : fmt::format("{:.0f} ns", ns);
}

/// Bars of the mean, each where the one before it ends.
std::string drawn(const std::string& name, const std::vector<Bar>& bars) {
  double all = 0;
  for (const auto& bar : bars) all += bar.mean_ns;
  const auto height = row_height * (static_cast<double>(bars.size()) + 1);
  auto svg = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><svg class=\"waterfall\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "style=\"min-width:{:.0f}px\" role=\"img\" aria-label=\"Stages "
      "of the latency of {}\">\n"
      "<text x=\"0\" y=\"14\"><tspan font-weight=\"bold\">{}</tspan>, {} on average</text>\n",
      name_room + bar_room + number_room, height, least_text * (name_room + bar_room + number_room), escaped(name),
      escaped(name), spelled(all));
  double from = 0, y = row_height;
  for (const auto& bar : bars) {
    const double x = name_room + (all > 0 ? from / all : 0) * bar_room;
    const double width = std::max(all > 0 ? bar.mean_ns / all * bar_room : 0, 1.0);
    svg += fmt::format(
        "<g><title>{}</title><text x=\"0\" y=\"{:.0f}\">{}</text>"
        "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\"/>"
        "<text x=\"{:.0f}\" y=\"{:.0f}\">{} &#183; p50 {} &#183; p99 {}</text></g>\n",
        escaped(bar.doc), y + 14, escaped(bar.name), x, y + 3, width, row_height - 6, name_room + bar_room + 10, y + 14,
        all > 0 ? fmt::format("{:.0f} %", bar.mean_ns / all * 100) : "", spelled(bar.p50_ns), spelled(bar.p99_ns));
    from += bar.mean_ns;
    y += row_height;
  }
  return svg + "</svg></div>\n";
}

}  // namespace

std::string waterfall(const Json& results) {
  std::string text;
  for (const auto& traffic : at(results, "traffic"))
    if (const auto bars = bars_of(traffic); !bars.empty()) text += drawn(text_at(traffic, "name"), bars);
  return text;
}

}  // namespace peerpath::report
