#include "validation/published/published.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace peerpath::published {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int schema = 1;
constexpr auto infinity = std::numeric_limits<double>::infinity();

class Reader {
 public:
  Reader(const std::string& file, const Sources& sources) : file_{file}, sources_{sources} {}

  tl::expected<Table, Problems> read(const std::string& text) {
    const auto document = json::parse(text, nullptr, false);
    if (!document.is_object() || document.value("peerpath_published", 0) != schema)
      return tl::unexpected{
          Problems{{file_, 0, 0, "/peerpath_published", "not schema version " + std::to_string(schema)}}};
    Table table;
    for (const auto& item : document.value("cases", json::array())) table.cases.push_back(read_case(item));
    for (const auto& item : document.value("not_held", json::array())) {
      const auto id = identity(item);
      table.not_held.push_back({id, item.value("what", ""), item.value("evidence", ""), needed(item, id, "reason")});
    }
    if (!problems_.empty()) return tl::unexpected{problems_};
    return table;
  }

 private:
  void problem(const std::string& id, const std::string& message) { problems_.push_back({file_, 0, 0, id, message}); }

  std::string identity(const json& item) {
    const auto id = item.value("id", "");
    if (id.empty() || !ids_.insert(id).second) problem(id, "a case without an id, or one that is there twice");
    return id;
  }

  std::string needed(const json& item, const std::string& id, const char* key) {
    const auto text = item.value(key, "");
    if (text.empty()) problem(id, std::string{"has no "} + key);
    return text;
  }

  Case read_case(const json& item) {
    Case c;
    c.id = identity(item);
    c.area = item.value("area", "");
    c.setup = item.value("setup", "");
    c.source = needed(item, c.id, "source");
    c.evidence = needed(item, c.id, "evidence");
    c.parameters = needed(item, c.id, "parameters");
    c.unit = item.value("unit", "");
    c.note = item.value("note", "");
    c.tolerance = item.value("tolerance_percent", 0.0) / 100;
    if (c.tolerance <= 0 || c.tolerance > most_tolerance)
      problem(c.id, "its tolerance is not above 0 and at most 15 %");
    for (const auto& figure : item.value("figures", json::array())) c.figures.push_back(read_figure(figure, c.id));
    if (c.figures.empty()) problem(c.id, "has no figures");
    return c;
  }

  Figure read_figure(const json& item, const std::string& id) {
    Figure figure;
    figure.of = item.value("of", "");
    const auto measured = item.value("measured", json{});
    if (measured.is_number()) figure.low = figure.high = measured;
    if (measured.is_array() && measured.size() == 2) {  // null: the source says "more than" or "less than"
      figure.low = measured[0].is_null() ? -infinity : measured[0].get<double>();
      figure.high = measured[1].is_null() ? infinity : measured[1].get<double>();
    }
    const auto outcome = apply(item.value("law", ""), item.value("inputs", json::object()), sources_);
    figure.why_not = outcome.why_not;
    if (!outcome.answer) return figure;
    figure.predicted = outcome.answer->predicted;
    if (outcome.answer->measured) figure.low = figure.high = *outcome.answer->measured;
    if (outcome.answer->fitted) problem(id, figure.of + ": a parameter was fitted to this number, so it cannot count");
    if (figure.low == 0) problem(id, figure.of + ": has no measured value");
    return figure;
  }

  std::string file_;
  const Sources& sources_;
  Problems problems_;
  std::set<std::string> ids_;
};

std::string measured_text(const Figure& figure) {
  if (figure.high == infinity) return fmt::format("above {:.5g}", figure.low);
  if (figure.low == -infinity) return fmt::format("below {:.5g}", figure.high);
  return figure.low == figure.high ? fmt::format("{:.5g}", figure.low)
                                   : fmt::format("{:.5g} to {:.5g}", figure.low, figure.high);
}

std::string case_text(const Case& c) {
  auto text =
      fmt::format("\n{} {} ({}, evidence: {}), tolerance {:g} %, {}\n  setup: {}\n  source: {}\n  parameters: {}\n",
                  c.passed() ? "pass" : "FAIL", c.id, c.area, c.evidence, 100 * c.tolerance,
                  c.unit.empty() ? "1" : c.unit, c.setup, c.source, c.parameters);
  if (!c.note.empty()) text += "  note: " + c.note + "\n";
  for (const auto& f : c.figures) {
    if (!f.why_not.empty()) {
      text += fmt::format("  FAIL {:<44} no prediction: {}\n", f.of, f.why_not);
      continue;
    }
    text +=
        fmt::format("  {} {:<44} {:>16} {:>10.5g} {:>+7.2f} %\n", std::abs(f.error()) <= c.tolerance ? "    " : "FAIL",
                    f.of, measured_text(f), f.predicted, 100 * f.error());
  }
  return text;
}

}  // namespace

double Figure::error() const {
  if (predicted < low) return predicted / low - 1;
  return predicted > high ? predicted / high - 1 : 0;
}

bool Case::passed() const {
  return std::ranges::all_of(figures,
                             [&](const Figure& f) { return f.why_not.empty() && std::abs(f.error()) <= tolerance; });
}

bool Table::passed() const { return !cases.empty() && std::ranges::all_of(cases, &Case::passed); }

std::size_t Table::outside_pcie_bench() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [](const Case& c) { return !c.id.starts_with("PB-"); }));
}

tl::expected<Table, Problems> evaluate(const std::string& text, const std::string& file, const Sources& sources) {
  return Reader{file, sources}.read(text);
}

Asked asked_by(const std::string& text) {
  Asked asked;
  const auto document = json::parse(text, nullptr, false);
  if (!document.is_object()) return asked;
  for (const auto& item : document.value("cases", json::array()))
    for (const auto& figure : item.value("figures", json::array())) asked.add(figure.value("inputs", json::object()));
  return asked;
}

std::string to_text(const Table& table) {
  std::string text = "Published cases: measured, predicted, error\n";
  std::size_t figures = 0, within = 0;
  for (const auto& c : table.cases) {
    text += case_text(c);
    for (const auto& f : c.figures) {
      ++figures;
      within += f.why_not.empty() && std::abs(f.error()) <= c.tolerance ? 1 : 0;
    }
  }
  text += "\nNot held, with the reason\n";
  for (const auto& n : table.not_held) text += fmt::format("  {:<7} {} ({})\n", n.id, n.reason, n.evidence);
  const auto passed = std::ranges::count_if(table.cases, &Case::passed);
  return text +
         fmt::format(
             "\n{} cases held ({} outside pcie-bench), {} within tolerance, {} not; {} of {} figures within; {} cases "
             "not held\n",
             table.cases.size(), table.outside_pcie_bench(), passed,
             static_cast<std::ptrdiff_t>(table.cases.size()) - passed, within, figures, table.not_held.size());
}

std::string to_json(const Table& table) {
  ordered_json document{
      {"passed", table.passed()}, {"cases", ordered_json::array()}, {"not_held", ordered_json::array()}};
  for (const auto& c : table.cases) {
    ordered_json item{{"id", c.id},
                      {"area", c.area},
                      {"passed", c.passed()},
                      {"tolerance", c.tolerance},
                      {"unit", c.unit},
                      {"evidence", c.evidence},
                      {"source", c.source},
                      {"setup", c.setup},
                      {"parameters", c.parameters},
                      {"note", c.note}};
    for (const auto& f : c.figures) {
      ordered_json figure{{"of", f.of}, {"measured", {f.low, f.high}}};
      if (f.why_not.empty())
        figure.update({{"predicted", f.predicted}, {"error", f.error()}});
      else
        figure["why_not"] = f.why_not;
      item["figures"].push_back(figure);
    }
    document["cases"].push_back(item);
  }
  for (const auto& n : table.not_held)
    document["not_held"].push_back({{"id", n.id}, {"what", n.what}, {"evidence", n.evidence}, {"reason", n.reason}});
  return document.dump(2) + "\n";
}

}  // namespace peerpath::published
