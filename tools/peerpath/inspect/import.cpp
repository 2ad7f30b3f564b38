#include "validation/import/import.hpp"

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"

namespace peerpath::cli {

Exit import(const Arguments& arguments, Terminal& terminal) {
  const auto& file = arguments.words().front();
  const auto text = read_file(file);
  if (!text) {
    terminal.report({{file, 0, 0, "", "cannot be read"}});
    return Exit::wrong_input;
  }
  const auto preset = import::import_dump(*text, file);
  if (!preset) {
    terminal.report(preset.error());
    return Exit::wrong_input;
  }
  for (const auto& note : preset->notes) terminal.say("note: " + note);
  if (const auto out = arguments.value("--out"))
    return write_file(*out, preset->text, terminal) ? Exit::done : Exit::wrong_input;
  terminal.data(preset->text);
  return Exit::done;
}

}  // namespace peerpath::cli
