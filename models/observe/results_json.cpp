#include "observe/results_json.hpp"

#include <utility>

namespace peerpath::observe {
namespace {

using Json = nlohmann::ordered_json;

Json number(Decimal value) {
  while (value.places > 0 && value.digits % 10 == 0) {
    value.digits /= 10;
    --value.places;
  }
  return value.places == 0 ? Json(value.digits) : Json(value.value());
}

Json number(const std::optional<Decimal>& value) { return value ? number(*value) : Json(nullptr); }

Json json_ns(Duration d) { return number({d.count(), 6}); }

template <class Range, class Make>
Json array(const Range& range, Make make) {
  Json items = Json::array();
  for (const auto& item : range) items.push_back(make(item));
  return items;
}

/// There are many: filled in place, for a list of lists is looked through and copied.
Json metric(const Metric& m) {
  Json::object_t row;
  row.reserve(5);
  row.emplace_back("name", m.name);
  row.emplace_back("value", number(m.value));
  if (m.half_width) row.emplace_back("half_width", number(m.half_width));
  row.emplace_back("unit", m.unit);
  row.emplace_back("doc", m.doc);
  return row;
}

/// Samples by the first femtosecond of their bin.
Json histogram(const Histogram& h) {
  Json bins = Json::object();
  for (std::size_t bin = 0; bin < Histogram::bins; ++bin)
    if (h.count_in(bin) > 0) bins[std::to_string(Histogram::lower_bound(bin))] = h.count_in(bin);
  return bins;
}

/// Times are those of the packets whose stages were recorded; their sums are exact.
Json stage(const StageResult& s) {
  return {{"name", s.name},
          {"doc", s.doc},
          {"count", s.time.count()},
          {"sum_fs", static_cast<std::int64_t>(s.time.sum())},
          {"p50_ns", json_ns(s.time.quantile(500'000))},
          {"p99_ns", json_ns(s.time.quantile(990'000))}};
}

Json traffic(const TrafficResult& t, const std::string& way) {
  Json row{{"name", t.name}, {"kind", t.kind}, {"path", t.path},   {"from", t.from},
           {"to", t.to},     {"way", way},     {"limit", t.limit}, {"latency_fs", histogram(t.latency)}};
  if (!t.stages.empty()) row["stages"] = array(t.stages, stage);
  return row;
}

Json steady(const SteadyState& s) { return {{"judged", s.judged}, {"found", s.found}, {"warnings", s.warnings}}; }

Json side(const LinkResult& link, Direction direction) {
  const auto& result = direction == Direction::up ? link.up : link.down;
  Json rows = Json::array();
  for (const auto& row : result.rows)
    rows.push_back({{"requester", row.requester},
                    {"purpose", name_of(row.purpose)},
                    {"tlps", row.tlps},
                    {"data_bytes", row.payload.count()},
                    {"overhead_bytes", row.overhead.count()}});
  return {{"link", link.name},   {"direction", name_of(direction)}, {"nearer", link.nearer}, {"farther", link.farther},
          {"shape", link.shape}, {"rate_bps", result.rate.bps()},   {"dllps", result.dllps}, {"rows", std::move(rows)}};
}

Json expectation(const ExpectationResult& e) {
  Json row{{"metric", e.metric},
           {"wanted", e.wanted},
           {"found", number(e.found)},
           {"unit", e.unit},
           {"ok", e.verdict == Verdict::ok}};
  if (!e.said.empty()) row["said"] = e.said;
  return row;
}

Json fault(const Fault& f) {
  return {
      {"device", f.device}, {"what", f.what}, {"count", f.count}, {"first_ns", json_ns(f.first.time_since_epoch())}};
}

Json event(const EventRecord& e) { return {{"at_ns", json_ns(e.at.time_since_epoch())}, {"what", e.what}}; }

Json deadlock(const DeadlockResult& d) {
  Json blocked = Json::array();
  for (const auto& queue : d.blocked)
    blocked.push_back({{"queue", queue.place}, {"tlp", queue.tlp}, {"waits_for", queue.waits_for}});
  return {{"found_ns", json_ns(d.found.time_since_epoch())}, {"blocked", std::move(blocked)}, {"cycle", d.cycle}};
}

Json error(const ErrorRecord& e) {
  Json log;
  if (e.header) {
    log = Json::array();
    for (const std::uint32_t word : *e.header) {
      constexpr std::string_view digits = "0123456789abcdef";
      std::string hex;
      for (int shift = 28; shift >= 0; shift -= 4) hex += digits[word >> shift & 15];
      log.push_back(std::move(hex));
    }
  }
  return {{"device", e.device},
          {"severity", name_of(e.severity)},
          {"error", e.error},
          {"count", e.count},
          {"first_ns", e.first ? json_ns(e.first->time_since_epoch()) : Json()},
          {"header_log", std::move(log)}};
}

Json window(const Bar1Result& w) {
  Json registrations = Json::array();
  for (const auto& r : w.registrations)
    registrations.push_back({{"traffic", r.traffic},
                             {"registered_bytes", r.registered.count()},
                             {"mapped_bytes", r.mapped.count()},
                             {"verdict", r.verdict},
                             {"said", r.said}});
  return {{"gpu", w.gpu},
          {"size_bytes", w.size.count()},
          {"used_bytes", w.used.count()},
          {"reserved_bytes", w.reserved.count()},
          {"remaps", w.remaps},
          {"waiting_ns", json_ns(w.waiting)},
          {"registrations", registrations}};
}

Json traffic_list(const Results& results) {
  Json list = Json::array();
  for (std::size_t n = 0; n < results.traffic.size(); ++n)
    list.push_back(traffic(results.traffic[n], n < results.ways.size() ? results.ways[n] : ""));
  return list;
}

Json ledger_list(const Results& results) {
  Json list = Json::array();
  for (const auto& link : results.links)
    for (const auto direction : {Direction::up, Direction::down}) list.push_back(side(link, direction));
  return list;
}

Json rerun(const Rerun& run) {
  return {{"problem", run.problem}, {"flows", array(run.flows, [](const FlowChange& f) {
                                       return Json{{"traffic", f.traffic},
                                                   {"goodput_percent", number(f.goodput_percent)},
                                                   {"half_width", number(f.half_width)},
                                                   {"p99_percent", number(f.p99_percent)}};
                                     })}};
}

Json what_if_row(const WhatIfRow& row) {
  return {{"name", row.name},
          {"keys", row.keys},
          {"source", row.source},
          {"weight_percent", number(row.weight)},
          {"doubled", rerun(row.doubled)},
          {"halved", rerun(row.halved)}};
}

}  // namespace

Json results_document(const Results& results, ResultsContext context) {
  if (const auto run = context.scenario.find("run"); run != context.scenario.end()) run->erase("quantum");
  context.origins.erase("/run/quantum");
  Json json;
  json["schema_version"] = results_schema_version;
  json["peerpath"] = context.version;
  json["name"] = context.name;
  json["complete"] = results.complete;
  json["warmup_ns"] = json_ns(results.warmup);
  json["simulated_ns"] = json_ns(results.window);
  json["wanted_ns"] = json_ns(results.wanted_window);
  json["steady"] = steady(results.steady);
  json["bottleneck"] = results.bottleneck;
  json["limit"] = results.limit;
  json["limits"] = array(results.limits, [](const LimitResult& l) {
    return Json{{"name", l.name}, {"traffic", l.traffic}};
  });
  json["flattered"] = results.flattered;
  json["warnings"] = results.warnings;
  json["expectations"] = array(results.expectations, expectation);
  json["metrics"] = array(results.metrics, metric);
  json["traffic"] = traffic_list(results);
  json["utilisation"] = array(results.utilisation, [](const Utilisation& u) {
    return Json{{"name", u.name}, {"percent", number(u.percent)}};
  });
  json["ledger"] = ledger_list(results);
  if (results.what_if)
    json["what_if"] = {{"suspects", array(results.what_if->suspects, what_if_row)},
                       {"assumptions", array(results.what_if->assumptions, what_if_row)},
                       {"without_weight", results.what_if->without_weight}};
  json["conservation"] = {{"holds", results.conservation.empty()}, {"violations", results.conservation}};
  json["bar1"] = array(results.windows, window);
  if (!results.events.empty()) json["events"] = array(results.events, event);
  json["faults"] = array(results.faults, fault);
  json["aer"] = array(results.errors, error);
  json["deadlock"] = results.deadlock ? deadlock(*results.deadlock) : Json();
  json["scenario"] = std::move(context.scenario);
  json["origins"] = std::move(context.origins);
  return json;
}

std::string results_text(const Json& document) { return document.dump(2) + "\n"; }

}  // namespace peerpath::observe
