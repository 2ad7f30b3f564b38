#include "study/text/expectation_table.hpp"

#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"

namespace peerpath::study {

std::string expectation_table(const observe::Results& results, const Painter& painter) {
  TextTable table{{{"", TextTable::Align::left},
                   {"", TextTable::Align::right},
                   {"", TextTable::Align::left},
                   {"", TextTable::Align::left}}};
  for (const auto& e : results.expectations)
    table.add({e.metric, found_text(e), e.unit == "1" || !e.found ? "" : e.unit, e.wanted});
  // Verdicts go in front of finished lines, so that colour codes do not count as width.
  auto lines = table.text();
  std::string text;
  std::size_t at = 0;
  for (const auto& e : results.expectations) {
    const auto end = lines.find('\n', at);
    const bool ok = e.verdict == observe::Verdict::ok;
    text += "  " + painter.paint(ok ? Painter::Paint::green : Painter::Paint::red, ok ? "ok    " : "FAILED") + "  " +
            lines.substr(at, end + 1 - at);
    at = end + 1;
  }
  return text;
}

}  // namespace peerpath::study
