#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/peerpath/batch/test_verdict.hpp"

namespace peerpath::cli {
namespace {

using Kind = study::Ending;

/// Without the two code points beside surrogates and control characters that XML has no way to spell (XML 1.0, section
/// 2.2): U+FFFE and U+FFFF, three bytes of UTF-8 each. They become U+FFFD.
std::string of_xml(std::string text) {
  for (const std::string_view forbidden : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (auto at = text.find(forbidden); at != text.npos; at = text.find(forbidden, at))
      text.replace(at, forbidden.size(), "\xef\xbf\xbd");
  return text;
}

/// Text of an element or attribute. Control characters are spelt as terminals show them.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : of_xml(printable(text, "\n"))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct Element {
  std::string_view name, type;  ///< "" for a test that passed
};

Element element_of(const TestVerdict& verdict) {
  switch (verdict.outcome.kind) {
    case Kind::passed:
      return verdict.drifts.empty() ? Element{} : Element{"failure", "drift"};
    case Kind::failed:
      return {"failure", "expectation"};
    case Kind::wrong:
      return {"error", "scenario"};
    case Kind::crashed:
      return {"error", "crash"};
    case Kind::skipped:
      return {"skipped", ""};
    case Kind::interrupted:
      return {"skipped", "interrupted"};
  }
  return {};
}

std::string test_case(const TestVerdict& verdict) {
  const auto folder = std::filesystem::path{verdict.file}.parent_path().generic_string();
  auto text = fmt::format(
      R"(  <testcase classname="{}" name="{}" file="{}" time="{:.6f}")", xml_text(folder.empty() ? "." : folder),
      xml_text(std::filesystem::path{verdict.file}.stem().string()), xml_text(verdict.file), verdict.outcome.seconds);
  const auto [name, type] = element_of(verdict);
  if (name.empty()) return text + "/>\n";
  const auto sentences = sentences_of(verdict);
  std::string all;
  for (const auto& sentence : sentences) all += sentence + "\n";
  text += fmt::format(">\n    <{}", name);
  if (!type.empty() && name != "skipped") text += fmt::format(R"( type="{}")", type);
  text += fmt::format(R"( message="{}")", xml_text(sentences.empty() ? std::string{type} : sentences.front()));
  return text + fmt::format(">{}</{}>\n  </testcase>\n", name == "skipped" ? "" : xml_text(all), name);
}

}  // namespace

std::string junit_xml(std::span<const TestVerdict> verdicts) {
  const auto count = [&](std::string_view name) {
    return std::ranges::count_if(verdicts, [&](const auto& verdict) { return element_of(verdict).name == name; });
  };
  double seconds = 0;
  std::string cases;
  for (const auto& verdict : verdicts) {
    seconds += verdict.outcome.seconds;
    cases += test_case(verdict);
  }
  const auto totals = fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.6f}")", verdicts.size(),
                                  count("failure"), count("error"), count("skipped"), seconds);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n <testsuite name=\"peerpath\" {}>\n{} "
      "</testsuite>\n</testsuites>\n",
      totals, totals, cases);
}

}  // namespace peerpath::cli
