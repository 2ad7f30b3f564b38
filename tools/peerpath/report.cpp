#include "tools/peerpath/catalogue.hpp"
#include "tools/peerpath/output_file.hpp"
#include "tools/report/page.hpp"
#include "tools/report/structure.hpp"

namespace peerpath::cli {

Exit report(const Arguments& arguments, Terminal& terminal) {
  const std::filesystem::path folder = arguments.words().front();
  const auto results = read_file(folder / "results.json");
  const auto document = report::Json::parse(results.value_or(""), nullptr, false);
  if (!document.is_object() || !document.contains("schema_version")) {
    terminal.error((folder / "results.json").string() +
                   (results ? ": is not what `peerpath run` writes" : ": cannot be read; `peerpath run` writes it"));
    return Exit::wrong_input;
  }
  if (const auto found = report::damage(document)) {
    terminal.error((folder / "results.json").string() + ": is damaged: " + *found);
    return Exit::wrong_input;
  }
  const std::filesystem::path file = arguments.value("--out").value_or((folder / "report.html").string());
  const auto page =
      report::page(document, report::Json::parse(read_file(folder / "run.json").value_or("{}"), nullptr, false));
  if (!write_file(file, page, terminal)) return Exit::wrong_input;
  terminal.say("written to " + file.string());
  return Exit::done;
}

}  // namespace peerpath::cli
