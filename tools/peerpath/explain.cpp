#include "peerpath/scenario/describe.hpp"
#include "tools/peerpath/catalogue.hpp"

namespace peerpath::cli {

Exit explain(const Arguments& arguments, Terminal& terminal) {
  const auto& topic = arguments.words().front();
  if (const auto text = scenario::explain(topic)) {
    terminal.data(*text);
    if (!text->ends_with("\n")) terminal.data("\n");
    return Exit::done;
  }
  const auto near = scenario::nearest_topic(topic);
  terminal.error("nothing is called '" + topic + "'" +
                 (near.empty() ? "; `peerpath list devices` and `peerpath list sections` name what there is"
                               : "; did you mean '" + near + "'?"));
  return Exit::wrong_input;
}

}  // namespace peerpath::cli
