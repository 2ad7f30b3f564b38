#include "study/help.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"

namespace peerpath::cli {

Exit schema(const Arguments& arguments, Terminal& terminal) {
  const auto text = study::schema_json();
  const auto file = arguments.value("--out");
  if (!file) {
    terminal.data(text);
    return Exit::done;
  }
  return write_file(*file, text, terminal) ? Exit::done : Exit::wrong_input;
}

}  // namespace peerpath::cli
