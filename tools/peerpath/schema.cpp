#include "peerpath/scenario/describe.hpp"
#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/output_file.hpp"

namespace peerpath::cli {

Exit schema(const Arguments& arguments, Terminal& terminal) {
  auto text = scenario::schema_json();
  if (!text.ends_with("\n")) text += "\n";
  const auto file = arguments.value("--out");
  if (!file) {
    terminal.data(text);
    return Exit::done;
  }
  return write_file(*file, text, terminal) ? Exit::done : Exit::wrong_input;
}

}  // namespace peerpath::cli
