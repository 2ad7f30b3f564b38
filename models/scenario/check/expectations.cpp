// The names of metrics are those of include/peerpath/observe/results.hpp.
#include <algorithm>
#include <set>

#include "peerpath/pcie/tlp.hpp"
#include "scenario/check/check.hpp"
#include "scenario/document.hpp"
#include "scenario/suggest.hpp"
#include "scenario/traffic_stages.hpp"

namespace peerpath::scenario {
namespace {

using Names = std::vector<std::string>;

Names traffic_metrics(const Names& links) {
  Names names{"offered_gbps",     "goodput_gbps",     "offered_packets",       "delivered_packets",
              "dropped_packets",  "payload_bytes",    "queued_at_begin_bytes", "queued_at_end_bytes",
              "loss_percent",     "failed_transfers", "all_ones_bytes",        "lost_bytes",
              "payload_crossings"};
  for (const auto& link : links) names.push_back(link + ".payload_crossings");
  for (const auto* which : {"min", "mean", "p50", "p90", "p99", "p999", "max"})
    names.push_back(std::string{"latency_"} + which + "_ns");
  for (const auto& stage : traffic::all_stages())
    for (const auto* which : {"_p50_ns", "_p99_ns"}) names.push_back("latency_" + std::string{stage.name} + which);
  return names;
}

Names link_metrics() {
  Names names{"payload_crossings"};
  for (const std::string way : {"up.", "down."}) {
    for (const auto& purpose : enum_names(pcie::Purpose{})) names.push_back(way + std::string{purpose.name} + "_bytes");
    for (const auto* rest : {"overhead_bytes", "dllp_bytes", "wire_bytes", "tlps", "dllps", "payload_gbps", "wire_gbps",
                             "utilisation_percent", "queued_tlps", "credit_stall_percent", "replays"})
      names.push_back(way + rest);
  }
  return names;
}

// The names of metrics: the part before the first dot, and the allowed rests. An empty list allows any rest.
class Metrics {
 public:
  explicit Metrics(const Scenario& scenario) {
    for (const Device& device : scenario.devices) names_[device.name];
    Names links;
    for (const Link& link : scenario.links)
      links.push_back(split_end(link.to).device + "-" + split_end(link.from).device);
    for (const InterSocket& link : scenario.inter_socket) links.push_back(link.to + "-" + link.from);
    for (const auto& link : links) names_[link] = link_metrics();
    for (const Traffic& traffic : scenario.traffic) names_[traffic.name] = traffic_metrics(links);
    names_["run"] = {"simulated_ns", "blocked_queues", "deadlock_cycle"};
  }

  /// A sentence if there can be no metric of this name.
  std::string why_not(const std::string& metric) const {
    const auto dot = device_length(metric);
    const auto owner = metric.substr(0, dot);
    const auto found = names_.find(owner);
    if (found == names_.end()) {
      Names owners;
      for (const auto& [name, rest] : names_) owners.push_back(name);
      return "no device or traffic is called \"" + owner + "\"" +
             did_you_mean(owner, owners, "", metric.substr(owner.size()));
    }
    const auto rest = metric.substr(std::min(dot + 1, metric.size()));
    const Names& known = found->second;
    if (rest.empty()) return "\"" + metric + "\" has no metric after the name";
    if (known.empty() || std::ranges::find(known, rest) != known.end()) return {};
    return "\"" + owner + "\" has no metric \"" + rest + "\"" + did_you_mean(rest, known, owner + ".");
  }

 private:
  std::map<std::string, Names> names_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> problems_of(
    const Expectation& e, const std::function<std::string(const std::string&)>& why_not) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](std::string key, std::string message) { out.emplace_back(std::move(key), std::move(message)); };
  if (e.is_text()) {
    if (!e.is)
      add("", "has no bound; add \"is\" with the beginning of the " + e.metric);
    else if (e.equals || e.at_least || e.at_most)
      add("", "the " + e.metric + " is not a number; use \"is\" with its beginning");
    if (e.is) return out;
  } else if (e.metric.empty()) {
    add("", "has no \"metric\"");
  } else if (e.is) {
    add("/is", "is only allowed with \"metric\": \"bottleneck\" or \"warning\"");
  } else if (auto why = why_not(e.metric); !why.empty()) {
    add("/metric", std::move(why));
  }
  if (!e.is_text() && !e.equals && !e.at_least && !e.at_most)
    add("", "has no bound; add \"equals\", \"at_least\" or \"at_most\"");
  if (e.within_percent && !e.equals) add("/within_percent", "requires \"equals\"");
  if (e.within_percent && *e.within_percent < 0) add("/within_percent", "is negative");
  if (e.at_least && e.at_most && *e.at_least > *e.at_most) add("/at_least", "is above \"at_most\"");
  return out;
}

void check_expectations(const Scenario& scenario, const Tree&, Problems& out) {
  const Metrics metrics{scenario};
  for (std::size_t i = 0; i < scenario.expect.size(); ++i)
    for (auto& [key, message] :
         problems_of(scenario.expect[i], [&](const auto& name) { return metrics.why_not(name); }))
      out.push_back({"", 0, 0, join("/expect", i) + key, std::move(message)});
}

}  // namespace peerpath::scenario
