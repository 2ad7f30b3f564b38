#include <string>

#include "study/help.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {

Exit explain(const Arguments& arguments, Terminal& terminal) {
  const auto& topic = arguments.words().front();
  const auto key = study::explain(topic), metric = study::explain_metric(topic);
  if (key || metric) {
    auto text = key.value_or("");
    if (!text.empty() && !text.ends_with("\n")) text += "\n";
    if (key && metric) text += "\nMetrics\n";
    terminal.data(text + metric.value_or(""));
    return Exit::done;
  }
  const auto near = study::nearest_topic(topic);
  terminal.error("there is no key or metric '" + topic + "'" +
                 (near.empty()
                      ? "; `peerpath list devices`, `list sections` and `list metrics SCENARIO` name what there is"
                      : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
