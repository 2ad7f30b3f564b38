#include "observe/metric_definitions.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/network/describe.hpp"
#include "scenario/network/metrics.hpp"
#include "tools/peerpath/catalogue.hpp"

namespace peerpath::cli {

namespace {

std::optional<std::string> joined(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a || !b) return a ? a : b;
  return *a + "\n" + *b;
}

}  // namespace

Exit explain(const Arguments& arguments, Terminal& terminal) {
  const auto& topic = arguments.words().front();
  const auto networks = network_scenario::topics();
  const auto key = joined(scenario::explain(topic), scenario::explain_among(networks, topic));
  const auto metric = joined(observe::explain_metric(topic), network_scenario::explain_metric(topic));
  if (key || metric) {
    auto text = key.value_or("");
    if (!text.empty() && !text.ends_with("\n")) text += "\n";
    if (key && metric) text += "\nMetrics\n";
    terminal.data(text + metric.value_or(""));
    return Exit::done;
  }
  auto near = scenario::nearest_topic(topic);
  if (near.empty()) near = scenario::nearest_among(networks, topic);
  if (near.empty()) near = observe::nearest_metric(topic);
  terminal.error("there is no key or metric '" + topic + "'" +
                 (near.empty()
                      ? "; `peerpath list devices`, `list sections` and `list metrics SCENARIO` name what there is"
                      : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
