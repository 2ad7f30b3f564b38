#include "tools/report/page.hpp"
#include "tools/report/network_drawing.hpp"

#include <fmt/format.h>

#include <utility>

#include "tools/report/document.hpp"
#include "tools/report/embedded.hpp"
#include "tools/report/stages.hpp"
#include "tools/report/tables.hpp"
#include "tools/report/topology.hpp"
#include "tools/report/what_if.hpp"

namespace peerpath::report {
namespace {

std::string verdict(const Json& results) {
  const auto& expectations = at(results, "expectations");
  if (!expectations.is_array() || expectations.empty()) return "";
  std::size_t failed = 0;
  for (const auto& e : expectations) failed += at(e, "ok") == true ? 0 : 1;
  if (failed == 0) return fmt::format("<span class=\"badge ok\">{} expectations hold</span>", expectations.size());
  return fmt::format("<span class=\"badge failed\">{} of {} expectations FAILED</span>", failed, expectations.size());
}

std::string run_head(const Json& results) {
  const auto& scenario = at(results, "scenario");
  const auto name = text_at(results, "name");
  auto text = fmt::format("<header><h1>{}</h1>\n", escaped(name.empty() ? "peerpath" : name));
  text += fmt::format("<p>{}</p>\n<p class=\"badges\">{}", escaped(text_at(scenario, "description")), verdict(results));
  if (at(results, "complete") == false)
    text += "<span class=\"badge failed\">incomplete: the run was interrupted</span>";
  if (at(at(results, "conservation"), "holds") == true) text += "<span class=\"badge ok\">byte ledger balances</span>";
  if (at(at(results, "conservation"), "holds") == false)
    text += "<span class=\"badge failed\">byte ledger violated</span>";
  text += fmt::format(
      "<span class=\"badge\">{} &micro;s simulated</span></p>\n",
      fixed(at(results, "simulated_ns").is_number() ? Json(at(results, "simulated_ns").get<double>() / 1000) : Json(),
            1));
  const auto bottleneck = text_at(results, "bottleneck");
  if (!bottleneck.empty()) text += "<p class=\"bottleneck\"><b>Bottleneck:</b> " + escaped(bottleneck) + "</p>\n";
  for (const auto* key : {"flattered", "warnings"})
    for (const auto& sentence : at(results, key))
      if (sentence.is_string()) text += "<p class=\"flattered\">" + escaped(sentence.get<std::string>()) + "</p>\n";
  return text + "</header>\n";
}

std::string folded(const char* summary, const std::string& body) {
  return body.empty() ? "" : fmt::format("<details><summary>{}</summary>\n{}</details>\n", summary, body);
}

/// A chart for each group of curves; src/series.js removes those without one.
std::string series_charts() {
  std::string text;
  for (const auto& [group, label] :
       {std::pair{"goodput", "Payload on each link over time"}, std::pair{"queues", "Receive FIFO over time"},
        std::pair{"tags", "Requests outstanding over time"}, std::pair{"credits", "Header credits in use over time"},
        std::pair{"drops", "Frames dropped over time"}})
    text += chart(std::string{group} + "-chart", label);
  return text;
}

std::string body(const Json& results, const Json& run, const Extras& extras) {
  auto text = run_head(results);
  const auto has = [&](const char* key) { return !at(results, key).empty(); };
  text += section("overlay", "Comparison with another run", comparison_table(results, extras.other, extras.other_name),
                  "Dashed in the charts: " + escaped(extras.other_name) + ".");
  text += section("expectations", "Expectations", expectation_table(results));
  if (has("network")) text += section("figures", "Results", metric_table(results));
  text += section("traffic", "Traffic", traffic_table(results) + way_table(results));
  text += section("topology", "Topology", topology_svg(results),
                  "All bytes on each link, TLP and link-layer overhead included; &#8593; is towards the root complex. "
                  "Dashed: path of the payload.");
  text += section("network", "Limits of the network", said_list(results));
  text += section("ranks", "Ranks of each job", rank_table(results),
                  "Communicating: in a collective or message, waiting included; hidden: overlapped by computation; "
                  "exposed: not overlapped.");
  text += section("layers", "The network", network_svg(results),
                  "Switches in layers, and the busier direction of the cables between them.");
  text += section("cables", "Busiest cables", cable_table(results),
                  "Each direction separately; paused: stopped by PFC from the switch or NIC at the other end.");
  text += section("latency", "Latency", has("traffic") ? chart("latency-chart", "Latency by percentile") : "",
                  "Share of packets with at most this latency; each step of the vertical axis is a factor of ten in "
                  "the share above it.");
  text += section("stages", "Latency by stage", waterfall(results),
                  "Mean duration of each stage, in order, over the sampled packets.");
  if (!extras.series.is_null())
    text += section(
        "series", "Over time", series_charts(),
        "From the trace <code>series</code>: payload per link, and the peak use of each resource per interval.");
  text +=
      section("links", "Bytes on each link", has("ledger") ? chart("link-chart", "Bytes on each link by purpose") : "",
              "Share of the time, by purpose.");
  if (has("utilisation"))
    text += section(
        "resources", "Utilisation",
        chart("resource-chart", "Utilisation of each resource") + folded("As a table", utilisation_table(results)));
  text += section("what-if", "What if", suspect_table(results),
                  "Reruns with one resource doubled or halved; doubling a resource that is a time halves that time.");
  text += section("assumptions", "Assumed values that affect the result", assumption_table(results),
                  "Values that change a goodput or a p99 latency by 1 % or more when doubled or halved.");
  text += section("bar1", "BAR1 of each GPU", bar1_table(results),
                  "Peers reach only the part of GPU memory that is mapped into its BAR1 window.");
  text += section("deadlock", "Deadlock", deadlock_table(results),
                  "The run ended here: these queues are permanently blocked.");
  text += section("events", "Events", event_table(results),
                  "Events applied to the hardware; times are from the start of the simulation.");
  text += section("faults", "Faults", fault_table(results));
  text += section("aer", "Advanced Error Reporting", error_table(results));
  text += section("ledger", "Byte ledger", folded("Every requester and purpose on every link", ledger_table(results)));
  if (!has("network"))
    text += section("metrics", "All metrics", folded("Names as in <code>expect</code>", metric_table(results)));
  text += section("scenario", "Scenario",
                  folded("Every value and its origin", origin_table(results)) +
                      folded("As JSON", "<pre>" + escaped(at(results, "scenario").dump(2)) + "</pre>\n"));
  text += section("run", "This run", run_table(run));
  return text;
}

/// Two members of each item.
Json chosen(const Json& items, const char* first, const char* second) {
  Json result = Json::array();
  for (const auto& item : items) {
    Json::object_t row;
    row.reserve(2);
    row.emplace_back(first, at(item, first));
    row.emplace_back(second, at(item, second));
    result.push_back(std::move(row));
  }
  return result;
}

/// What the script draws from.
Json chart_data(const Json& results, const Extras& extras) {
  Json data = Json::object();
  for (const char* key : {"simulated_ns", "traffic", "utilisation"}) data[key] = at(results, key);
  data["metrics"] = chosen(at(results, "metrics"), "name", "value");
  data["ledger"] = chosen(at(results, "ledger"), "link", "direction");
  if (!extras.series.is_null()) data["series"] = extras.series;
  if (!extras.other.is_null())
    data["other"] = {
        {"label", extras.other_name}, {"traffic", at(extras.other, "traffic")}, {"series", extras.other_series}};
  return data;
}

}  // namespace

bool has_charts() { return !charts_script().empty(); }

std::string page(const Json& results, const Json& run, const Extras& extras) {
  return document(text_at(results, "name") + " - peerpath", body(results, run, extras),
                  "peerpath " + escaped(text_at(results, "peerpath")), chart_data(results, extras));
}

}  // namespace peerpath::report
