#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/measured/run_comparison.hpp"
#include "validation/compare/ledgers.hpp"
#include "validation/compare/runs.hpp"

namespace peerpath::cli {
namespace {

using compare::LedgerLine;
using Verdict = LedgerLine::Verdict;

std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::equal ? "equal" : verdict == Verdict::different ? "DIFFERENT" : "reported";
}

std::string amount(std::int64_t bytes, std::int64_t entries) {
  return entries == 0 ? study::grouped(bytes) : study::grouped(entries) + " x " + study::grouped(bytes);
}

std::string table_of(const std::vector<LedgerLine>& lines, const std::vector<std::string>& runs) {
  using Align = study::TextTable::Align;
  study::TextTable table{
      {{"bytes", Align::left}, {"", Align::left}, {"", Align::left}, {runs[0]}, {runs[1]}, {"", Align::left}}};
  for (const auto& line : lines)
    table.add({line.place, line.direction, line.kind, amount(line.first, line.first_count),
               amount(line.second, line.second_count), std::string{word_of(line.verdict)}});
  return table.text();
}

std::string json_of(const std::vector<LedgerLine>& lines, bool equal) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& line : lines) {
    rows.push_back({{"place", line.place},
                    {"direction", line.direction},
                    {"kind", line.kind},
                    {"bytes", {line.first, line.second}},
                    {"entries", {line.first_count, line.second_count}},
                    {"verdict", line.verdict == Verdict::different ? "different" : word_of(line.verdict)}});
  }
  return nlohmann::ordered_json{{"equal", equal}, {"lines", std::move(rows)}}.dump(2) + "\n";
}

}  // namespace

Exit compare(const Arguments& arguments, Terminal& terminal) {
  std::vector<std::string> documents;
  for (const std::filesystem::path path : arguments.words()) {
    const auto file = std::filesystem::is_directory(path) ? path / "results.json" : path;
    const auto text = read_file(file);
    if (!text) {
      terminal.error(file.string() + ": cannot be read; `peerpath run --out DIR` writes it");
      return Exit::wrong_input;
    }
    documents.push_back(*text);
  }
  const bool whole = std::ranges::all_of(documents, compare::has_whole_transfers);
  if (!whole || arguments.has("--fail-if"))
    return compare_metrics({arguments.words()[0], arguments.words()[1]}, {documents[0], documents[1]},
                           arguments.values("--fail-if"), arguments.has("--json"), terminal);
  const auto lines = compare::compare_ledgers(documents[0], documents[1]);
  if (!lines) {
    terminal.error(lines.error());
    return Exit::wrong_input;
  }
  const bool equal = std::ranges::none_of(*lines, [](const auto& l) { return l.verdict == Verdict::different; });
  terminal.data(arguments.has("--json") ? json_of(*lines, equal) : table_of(*lines, arguments.words()));
  return equal ? Exit::done : Exit::expectation_failed;
}

}  // namespace peerpath::cli
