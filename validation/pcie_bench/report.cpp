#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "validation/pcie_bench/validate.hpp"

namespace peerpath::pcie_bench {
namespace {

const char* unit_of(Test test) { return is_latency(test) ? "ns" : "Gb/s"; }

template <class Constants, std::size_t n>
std::string constants_text(const Constants& values, const std::array<Constant<Constants>, n>& constants) {
  std::string text;
  for (const auto& c : constants)
    text += fmt::format("  {:<16}{:>9.2f} {:<3} {}\n", c.name, values.*c.member, c.unit, c.meaning);
  return text;
}

/// What of caches, the other socket and translation has a say on this host, fitted on the points marked by *.
std::string effects_text(const HostReport& report) {
  if (const auto why = why_not_judged(report); !why.empty()) return "  Windows are not judged: " + why + "\n";
  const auto& s = report.data.setup;
  auto text =
      fmt::format("  Last-level cache of {} MiB, {} ways ({})\n", s.cache.count() >> 20, s.cache_ways, s.cache_from);
  const auto add = [&](std::string_view name) {
    for (const auto& c : effect_constants)
      if (c.name == name)
        text +=
            fmt::format("  {:<16}{:>9.2f} {:<3} {}\n", c.name, report.effects->constants.*c.member, c.unit, c.meaning);
  };
  add("cold_miss");
  if (report.effects->own_hop) add("remote_hop");
  if (report.effects->own_translation)
    for (const auto* name : {"iotlb_entries", "walk_latency", "walk_interval"}) add(name);
  return text;
}

std::string points_text(const HostReport& report) {
  auto text = fmt::format("\n  {:<13}{:>6}  {:>9} {:>10} {:>8}\n", "test", "size B", "measured", "predicted", "error");
  for (const auto& p : report.predictions)
    text += fmt::format("  {:<13}{:>6}{} {:>9.2f} {:>10.2f} {:>+7.1f}%  {}\n", name_of(p.point.which.test),
                        p.point.which.size.count(), p.fitted ? '*' : ' ', p.point.measured, p.predicted,
                        100 * p.error(), unit_of(p.point.which.test));
  return text + "  * fitted: two sizes of a curve at most; all else is predicted\n";
}

std::string sweeps_text(const HostReport& report) {
  if (report.sweeps.empty()) return "";
  auto text = fmt::format("\n  {:<13}{:>6}  {:<6}{:>9}  {:>9} {:>10} {:>8}\n", "test", "size B", "cache", "window KiB",
                          "measured", "predicted", "error");
  for (const auto& p : report.sweeps) {
    const auto& sweep = p.point.sweep;
    text +=
        fmt::format("  {:<13}{:>6}  {:<6}{:>9}{} {:>9.2f} {:>10.2f} {:>+7.1f}%  {}\n", name_of(sweep.which.test),
                    sweep.which.size.count(), name_of(sweep.cache), sweep.window.count() >> 10, p.fitted ? '*' : ' ',
                    p.point.measured, p.predicted, 100 * p.error(), unit_of(sweep.which.test));
  }
  return text;
}

std::string far_points_text(const HostReport& report) {
  std::string text = "\n  Points with an error above 5 %, by the effect that the model leaves out (interpretation)\n";
  std::string_view before;
  for (const auto& p : report.predictions) {
    if (std::abs(p.error()) <= needs_cause) continue;
    const auto why = cause(report.data.setup, p);
    if (why != before) text += fmt::format("  {}:\n", why);
    before = why;
    text += fmt::format("    {:<13}{:>6} B {:>+7.1f}%\n", name_of(p.point.which.test), p.point.which.size.count(),
                        100 * p.error());
  }
  return text;
}

std::string criteria_text(const HostReport& report) {
  std::string text = "\n  Criteria\n";
  for (const auto& c : report.criteria)
    text += fmt::format("  {:<4} {:<56}{:>6.1f}, allowed {:g} ({} points)\n", c.passed() ? "pass" : "FAIL", c.name,
                        c.value, c.allowed, c.points);
  return text;
}

template <class Constants, std::size_t n>
nlohmann::ordered_json constants_json(const Constants& values, const std::array<Constant<Constants>, n>& constants) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& c : constants)
    json[std::string{c.name}] = {{"value", values.*c.member}, {"unit", c.unit}, {"meaning", c.meaning}};
  return json;
}

nlohmann::ordered_json setup_json(const Setup& setup) {
  return {{"generation", setup.link.generation},
          {"width", setup.link.width},
          {"max_payload_bytes", setup.max_payload.count()},
          {"max_read_request_bytes", setup.max_read_request.count()},
          {"tags", setup.tags},
          {"card_ecrc", setup.card_ecrc},
          {"host_ecrc", setup.host_ecrc},
          {"iommu", setup.iommu},
          {"super_pages", setup.super_pages},
          {"cache_bytes", setup.cache.count()},
          {"cache_ways", setup.cache_ways},
          {"card_warms", setup.card_warms}};
}

nlohmann::ordered_json host_json(const HostReport& report) {
  nlohmann::ordered_json json{{"host", report.data.name},
                              {"setup", setup_json(report.data.setup)},
                              {"constants", constants_json(report.constants, host_constants)},
                              {"fit_residual", report.residual}};
  if (const auto why = why_not_judged(report); why.empty()) {
    json["effects"] = constants_json(report.effects->constants, effect_constants);
    json["effects"]["own_translation"] = report.effects->own_translation;
    json["effects"]["own_hop"] = report.effects->own_hop;
  } else {
    json["windows_not_judged"] = why;
  }
  for (const auto& c : report.criteria)
    json["criteria"].push_back(
        {{"name", c.name}, {"points", c.points}, {"value", c.value}, {"allowed", c.allowed}, {"passed", c.passed()}});
  for (const auto& p : report.predictions) {
    nlohmann::ordered_json point{{"test", name_of(p.point.which.test)},
                                 {"size_bytes", p.point.which.size.count()},
                                 {"unit", unit_of(p.point.which.test)},
                                 {"measured", p.point.measured},
                                 {"predicted", p.predicted},
                                 {"error", p.error()},
                                 {"fitted", p.fitted}};
    if (std::abs(p.error()) > needs_cause) point["cause"] = cause(report.data.setup, p);
    json["points"].push_back(std::move(point));
  }
  for (const auto& p : report.sweeps)
    json["sweeps"].push_back({{"test", name_of(p.point.sweep.which.test)},
                              {"size_bytes", p.point.sweep.which.size.count()},
                              {"window_bytes", p.point.sweep.window.count()},
                              {"cache", name_of(p.point.sweep.cache)},
                              {"unit", unit_of(p.point.sweep.which.test)},
                              {"measured", p.point.measured},
                              {"predicted", p.predicted},
                              {"error", p.error()},
                              {"fitted", p.fitted}});
  return json;
}

}  // namespace

std::string why_not_judged(const HostReport& report) {
  if (report.data.sweeps.empty()) return "there are none";
  if (!report.effects)
    return "no machine here has data for the cost of a last-level cache miss (LAT_DMA_RD 64 B, 1 MiB)";
  if (report.data.setup.cache == Bytes{})
    return "the last-level cache is not known: give --cache, or the output of lscpu -C as sys-lscpu.txt";
  if (!report.judges_windows())
    return fmt::format(
        "the IOMMU's constants are assumed ({:g} to {:g} entries, walks of {:g} to {:g} ns): the points that tell them "
        "are missing",
        assumed_entries.least, assumed_entries.most, assumed_walk.least, assumed_walk.most);
  return "";
}

std::string to_text(const CardConstants& card, const std::vector<HostReport>& reports) {
  auto text = "Constants of the card (NFP-6000), held: fitted before, over the hosts that the preset names\n" +
              constants_text(card, card_constants);
  int passed = 0, failed = 0;
  for (const auto& report : reports) {
    const auto& s = report.data.setup;
    text +=
        fmt::format("\n{}\n  Gen{} x{}, MPS {} B, MRRS {} B, {} tags, ECRC {}, IOMMU {}{}\n", report.data.name,
                    s.link.generation, s.link.width, s.max_payload.count(), s.max_read_request.count(), s.tags,
                    s.card_ecrc ? "on" : "off", s.iommu ? "on" : "off", s.card_warms ? "" : ", DWarm without effect");
    text += "  Constants of the host, fitted\n" + constants_text(report.constants, host_constants);
    text += effects_text(report);
    text += points_text(report) + far_points_text(report) + sweeps_text(report) + criteria_text(report);
    for (const auto& c : report.criteria) ++(c.passed() ? passed : failed);
  }
  return text + fmt::format("\n{} criteria passed, {} failed, {} hosts\n", passed, failed, reports.size());
}

std::string to_json(const CardConstants& card, const std::vector<HostReport>& reports) {
  nlohmann::ordered_json document{{"card", constants_json(card, card_constants)}};
  document["hosts"] = nlohmann::ordered_json::array();
  for (const auto& report : reports) document["hosts"].push_back(host_json(report));
  return document.dump(2) + "\n";
}

}  // namespace peerpath::pcie_bench
