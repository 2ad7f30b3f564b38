#include "tools/report/curves_page.hpp"

#include <fmt/format.h>

#include "tools/report/document.hpp"

namespace peerpath::report {
namespace {

std::string percent(const Json& share) {
  return share.is_number() ? fixed(Json(100 * share.get<double>()), 1) + " %" : "-";
}

std::string head(const Json& a) {
  const auto& held_out = at(a, "held_out");
  const bool passed = at(a, "passed") == true;
  auto text = fmt::format("<header><h1>{}</h1>\n<p>{}, measured {}</p>\n", escaped(text_at(a, "gpu")),
                          escaped(text_at(a, "dataset")), escaped(text_at(a, "started")));
  text += fmt::format(
      "<p class=\"badges\"><span class=\"badge {}\">{} points predicted: median error {}, 95 % below {}</span>",
      passed ? "ok" : "failed", at(held_out, "points").dump(), percent(at(held_out, "median_error")),
      percent(at(held_out, "p95_error")));
  return text + fmt::format("<span class=\"badge\">{} of {} points fitted</span></p>\n</header>\n",
                            at(a, "fitted_points").dump(), at(a, "measured_points").dump());
}

std::string parameters(const Json& a) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& p : at(a, "parameters")) {
    const auto interval = at(p, "identifiable") == true
                              ? fmt::format("{:.4g} to {:.4g}", at(p, "low").get<double>(), at(p, "high").get<double>())
                              : "not identifiable: " + escaped(text_at(p, "why_not"));
    rows.push_back({escaped(text_at(p, "name")), escaped(text_at(p, "meaning")), interval,
                    fmt::format("{:.4g} {}", at(p, "value").get<double>(), text_at(p, "unit"))});
  }
  return table({"parameter", "meaning", "95 % interval", "value"}, rows, 3);
}

std::string curve_table(const Json& curve) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& p : at(curve, "points"))
    rows.push_back({at(p, "at").dump() + (at(p, "fitted") == true ? " (fitted)" : ""), fixed(at(p, "measured_ns"), 1),
                    fixed(at(p, "predicted_ns"), 1), percent(at(p, "error")),
                    at(p, "within_spread") == true ? "yes" : "no"});
  return table({text_at(curve, "axis"), "measured ns", "predicted ns", "error", "within the spread"}, rows, 1);
}

}  // namespace

std::string curves_page(std::string_view assessment) {
  const auto a = Json::parse(assessment, nullptr, false);
  if (!a.is_object()) return document("peerpath", "", "peerpath", Json::object());
  auto body = head(a) + section("parameters", "Fitted parameters", parameters(a));
  std::size_t number = 0;
  if (at(a, "curves").is_array())
    for (const auto& curve : at(a, "curves")) {
      const auto id = fmt::format("curve-{}", number++);
      const auto name = text_at(curve, "name");
      body += section(id + "-section", escaped(name),
                      chart(id, name + ", measured and predicted") +
                          chart(id + "-error", name + ", error of the prediction and rates") +
                          "<details><summary>As a table</summary>\n" + curve_table(curve) + "</details>\n",
                      escaped(text_at(curve, "law")));
    }
  return document(text_at(a, "gpu") + ", measured and predicted", body, "peerpath validate", a);
}

}  // namespace peerpath::report
