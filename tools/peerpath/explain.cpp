#include "observe/metric_definitions.hpp"
#include "peerpath/scenario/describe.hpp"
#include "tools/peerpath/catalogue.hpp"

namespace peerpath::cli {

Exit explain(const Arguments& arguments, Terminal& terminal) {
  const auto& topic = arguments.words().front();
  const auto key = scenario::explain(topic);
  const auto metric = observe::explain_metric(topic);
  if (key || metric) {
    auto text = key.value_or("");
    if (!text.empty() && !text.ends_with("\n")) text += "\n";
    if (key && metric) text += "\nMetrics\n";
    terminal.data(text + metric.value_or(""));
    return Exit::done;
  }
  auto near = scenario::nearest_topic(topic);
  if (near.empty()) near = observe::nearest_metric(topic);
  terminal.error("nothing is called '" + topic + "'" +
                 (near.empty()
                      ? "; `peerpath list devices`, `list sections` and `list metrics SCENARIO` name what there is"
                      : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
