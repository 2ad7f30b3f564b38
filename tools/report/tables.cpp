#include "tools/report/tables.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace peerpath::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string number_or_text(const Json& value) {
  if (value.is_number_integer()) return grouped(value.get<std::int64_t>());
  if (value.is_string()) return escaped(value.get<std::string>());
  return value.is_null() ? "none" : escaped(value.dump());
}

std::string integer(const Json& value) { return value.is_number_integer() ? grouped(value.get<std::int64_t>()) : "-"; }

std::string unit_text(const std::string& unit) { return unit == "1" ? "" : escaped(unit); }

/// What an expectation found: a number, or the sentence of the bottleneck.
std::string found_text(const Json& e) {
  if (const auto& said = text_at(e, "said"); !said.empty()) return escaped(said);
  return number_or_text(at(e, "found")) + (at(e, "found").is_null() ? "" : " " + unit_text(text_at(e, "unit")));
}

/// Nanoseconds as a time of three digits.
std::string time_text(const Json& nanoseconds) {
  if (!nanoseconds.is_number()) return "-";
  const double ns = nanoseconds.get<double>();
  if (ns >= 1e6) return fmt::format("{:.3g} ms", ns / 1e6);
  return ns >= 1e3 ? fmt::format("{:.3g} &micro;s", ns / 1e3) : fmt::format("{:.3g} ns", ns);
}

}  // namespace

std::string expectation_table(const Json& results) {
  Rows rows;
  for (const auto& e : at(results, "expectations")) {
    const bool ok = at(e, "ok") == true;
    rows.push_back({ok ? "<span class=\"ok\">ok</span>" : "<span class=\"failed\">FAILED</span>",
                    "<code>" + escaped(text_at(e, "metric")) + "</code>", escaped(text_at(e, "wanted")),
                    found_text(e)});
  }
  return table({"", "metric", "wanted", "found"}, rows, 3);
}

std::string traffic_table(const Json& results) {
  Rows rows;
  for (const auto& t : at(results, "traffic")) {
    const auto name = text_at(t, "name");
    const auto value = [&](const char* metric_name) -> const Json& {
      return metric(results, name + "." + metric_name);
    };
    rows.push_back({escaped(name), fixed(value("offered_gbps"), 2), fixed(value("goodput_gbps"), 2),
                    integer(value("delivered_packets")), integer(value("dropped_packets")),
                    time_text(value("latency_p50_ns")), time_text(value("latency_p99_ns")),
                    time_text(value("latency_p999_ns")), time_text(value("latency_max_ns"))});
  }
  return table({"", "offered Gb/s", "goodput Gb/s", "packets", "dropped", "latency p50", "p99", "p99.9", "max"}, rows,
               1);
}

std::string way_table(const Json& results) {
  Rows rows;
  for (const auto& t : at(results, "traffic"))
    rows.push_back({escaped(text_at(t, "name")), escaped(text_at(t, "kind") + ", " + text_at(t, "path")),
                    escaped(text_at(t, "way"))});
  return table({"", "kind", "path of the payload"}, rows, 3);
}

std::string utilisation_table(const Json& results) {
  Rows rows;
  for (const auto& u : at(results, "utilisation"))
    rows.push_back({escaped(text_at(u, "name")), fixed(at(u, "percent"), 1) + " %"});
  return table({"resource", "busy"}, rows, 1);
}

std::string said_list(const Json& results) {
  std::string items;
  for (const auto& sentence : at(at(results, "network"), "said"))
    if (sentence.is_string()) items += "<li>" + escaped(sentence.get<std::string>()) + "</li>\n";
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

std::string cable_table(const Json& results) {
  constexpr std::size_t most = 24;
  Rows rows;
  for (const auto& c : at(at(results, "network"), "cables")) {
    if (rows.size() == most) break;
    rows.push_back({escaped(text_at(c, "name")), fixed(at(c, "busy_percent"), 1) + " %",
                    fixed(at(c, "paused_percent"), 1) + " %", integer(at(c, "queue_peak_bytes")),
                    integer(at(c, "dropped"))});
  }
  return table({"cable", "busy", "paused", "peak queue, bytes", "dropped"}, rows, 1);
}

std::string rank_table(const Json& results) {
  constexpr std::size_t most = 64;
  Rows rows;
  for (const auto& job : at(at(results, "network"), "jobs")) {
    std::size_t rank = 0;
    for (const auto& use : at(job, "ranks")) {
      if (rank == most) break;
      const auto micros = [&](const char* key) { return fixed(at(use, key), 1); };
      rows.push_back({escaped(text_at(job, "name")), std::to_string(rank++), escaped(text_at(use, "host")),
                      micros("time_us"), micros("computing_us"), micros("communicating_us"), micros("hidden_us"),
                      micros("exposed_us")});
    }
  }
  return table({"job", "rank", "host", "time, us", "computing", "communicating", "hidden", "exposed"}, rows, 3);
}

std::string ledger_table(const Json& results) {
  Rows rows;
  for (const auto& side : at(results, "ledger"))
    for (const auto& row : at(side, "rows"))
      rows.push_back({escaped(text_at(side, "link")), escaped(text_at(side, "direction")),
                      escaped(text_at(row, "requester")), escaped(text_at(row, "purpose")), integer(at(row, "tlps")),
                      integer(at(row, "data_bytes")), integer(at(row, "overhead_bytes"))});
  return table({"link", "direction", "requester", "purpose", "TLPs", "data bytes", "overhead bytes"}, rows, 4);
}

std::string bar1_table(const Json& results) {
  Rows rows;
  for (const auto& window : at(results, "bar1")) {
    const auto mib = [&](const char* key) {
      const auto& bytes = at(window, key);
      return bytes.is_number_integer() ? grouped(bytes.get<std::int64_t>() >> 20) : "-";
    };
    std::string said;
    for (const auto& r : at(window, "registrations"))
      said += (said.empty() ? "" : "<br>") + escaped(text_at(r, "traffic") + ": " + text_at(r, "said"));
    rows.push_back({escaped(text_at(window, "gpu")), said, mib("used_bytes"), mib("size_bytes"),
                    integer(at(window, "remaps")), time_text(at(window, "waiting_ns"))});
  }
  return table({"GPU", "registered", "used MiB", "of MiB", "remaps", "waited"}, rows, 2);
}

std::string event_table(const Json& results) {
  Rows rows;
  for (const auto& e : at(results, "events")) rows.push_back({time_text(at(e, "at_ns")), escaped(text_at(e, "what"))});
  return table({"at", "event"}, rows, 2);
}

std::string fault_table(const Json& results) {
  Rows rows;
  for (const auto& f : at(results, "faults"))
    rows.push_back({escaped(text_at(f, "device")), escaped(text_at(f, "what")), integer(at(f, "count")),
                    time_text(at(f, "first_ns"))});
  return table({"device", "what", "count", "first at"}, rows, 2);
}

std::string error_table(const Json& results) {
  Rows rows;
  for (const auto& e : at(results, "aer")) {
    std::string log;
    for (const auto& word : at(e, "header_log")) log += (log.empty() ? "" : " ") + word.get<std::string>();
    rows.push_back({escaped(text_at(e, "device")), escaped(text_at(e, "severity")), escaped(text_at(e, "error")),
                    "<code>" + escaped(log) + "</code>", integer(at(e, "count")),
                    at(e, "first_ns").is_number() ? time_text(at(e, "first_ns")) : ""});
  }
  return table({"device", "severity", "error", "header log", "count", "first at"}, rows, 4);
}

std::string deadlock_table(const Json& results) {
  const auto found = at(results, "deadlock");
  Rows rows;
  std::vector<bool> listed(at(found, "blocked").size());
  const auto add = [&](std::size_t i, const std::string& place) {
    const auto& queue = at(found, "blocked")[i];
    rows.push_back({place, escaped(text_at(queue, "queue")), escaped(text_at(queue, "tlp")),
                    escaped(text_at(queue, "waits_for"))});
    listed[i] = true;
  };
  for (const auto& i : at(found, "cycle"))
    add(i.get<std::size_t>(), rows.empty() ? "cycle" : "&#8594; which waits for");
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (!listed[i]) add(i, "");
  return table({"", "queue", "first TLP", "waits for"}, rows, 4);
}

std::string metric_table(const Json& results) {
  Rows rows;
  for (const auto& m : at(results, "metrics"))
    rows.push_back({"<code>" + escaped(text_at(m, "name")) + "</code>", escaped(text_at(m, "doc")),
                    number_or_text(at(m, "value")), unit_text(text_at(m, "unit"))});
  return table({"metric", "meaning", "value", "unit"}, rows, 2);
}

std::string origin_table(const Json& results) {
  Rows rows;
  const auto& origins = at(results, "origins");
  if (!origins.is_object()) return "";
  const auto& scenario = at(results, "scenario");
  for (const auto& [pointer, origin] : origins.items()) {
    // Lists of devices by name may be spelt differently from the pointer; a value that is not there is left out.
    std::string value;
    if (const Json::json_pointer place{pointer}; scenario.contains(place)) value = escaped(scenario.at(place).dump());
    rows.push_back({"<code>" + escaped(pointer) + "</code>", value, escaped(text_at(origin, "from")),
                    escaped(text_at(origin, "source"))});
  }
  return table({"key", "value", "from", "source of the number"}, rows, 4);
}

namespace {

/// Of the other run relative to this one, as `peerpath compare THIS OTHER` has it.
std::string difference(const Json& here, const Json& there) {
  const bool comparable = here.is_number() && there.is_number() && here.get<double>() != 0;
  return comparable ? fmt::format("{:+.1f} %", 100 * (there.get<double>() / here.get<double>() - 1)) : "-";
}

/// Of networks, which have no traffic entries: every metric that both have.
std::string metric_comparison(const Json& results, const Json& other, const std::string& other_name) {
  Rows rows;
  for (const auto& m : at(results, "metrics")) {
    const auto& here = at(m, "value");
    const auto& there = metric(other, text_at(m, "name"));
    if (here.is_null() || there.is_null()) continue;
    rows.push_back({"<code>" + escaped(text_at(m, "name")) + "</code>", number_or_text(here), number_or_text(there),
                    difference(here, there)});
  }
  return table({"metric", "this run", escaped(other_name), "difference"}, rows, 1);
}

}  // namespace

std::string comparison_table(const Json& results, const Json& other, const std::string& other_name) {
  if (other.is_null()) return "";
  struct Measure {
    const char *metric, *title;
    std::string (*text)(const Json&);
  };
  constexpr std::array measures{
      Measure{"goodput_gbps", "goodput, Gb/s", [](const Json& value) { return fixed(value, 2); }},
      Measure{"dropped_packets", "dropped", integer}, Measure{"latency_p50_ns", "latency p50", time_text},
      Measure{"latency_p99_ns", "latency p99", time_text}};
  Rows rows;
  for (const auto& t : at(results, "traffic"))
    for (const auto& [measure, title, text] : measures) {
      const auto name = text_at(t, "name") + "." + measure;
      const auto &here = metric(results, name), &there = metric(other, name);
      if (here.is_null() && there.is_null()) continue;
      rows.push_back({escaped(text_at(t, "name")), title, text(here), text(there), difference(here, there)});
    }
  if (at(results, "traffic").empty()) return metric_comparison(results, other, other_name);
  return table({"traffic", "measure", "this run", escaped(other_name), "difference"}, rows, 2);
}

namespace {

/// A list as lines, what belongs together as words of one line.
std::string run_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_structured()) return number_or_text(value);
  const bool lines = value.is_array() && !value.empty() && value.front().is_structured();
  std::string text;
  for (const auto& [key, part] : value.items()) {
    if (!text.empty()) text += lines ? "<br>" : " ";
    const bool named = value.is_object() && !part.is_string();
    text += (named ? escaped(key) + " " : "") + run_value(part);
  }
  return text;
}

}  // namespace

std::string run_table(const Json& run) {
  Rows rows;
  if (!run.is_object()) return "";
  for (const auto& [key, value] : run.items()) rows.push_back({escaped(key), run_value(value)});
  return table({"", ""}, rows, 2);
}

}  // namespace peerpath::report
