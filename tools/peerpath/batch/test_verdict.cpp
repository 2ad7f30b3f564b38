#include "tools/peerpath/batch/test_verdict.hpp"

#include <algorithm>

namespace peerpath::cli {
namespace {

using Kind = study::Ending;

int weight(Exit exit) {
  switch (exit) {
    case Exit::bug:
      return 5;
    case Exit::interrupted:
      return 4;
    case Exit::wrong_input:
      return 3;
    case Exit::expectation_failed:
      return 2;
    case Exit::drifted:
      return 1;
    default:
      return 0;
  }
}

Exit exit_of_one(const TestVerdict& verdict) {
  switch (verdict.outcome.kind) {
    case Kind::passed:
      return verdict.drifts.empty() ? Exit::done : Exit::drifted;
    case Kind::failed:
      return Exit::expectation_failed;
    case Kind::skipped:
      return Exit::done;
    case Kind::wrong:
      return Exit::wrong_input;
    case Kind::crashed:
      return Exit::bug;
    case Kind::interrupted:
      return Exit::interrupted;
  }
  return Exit::bug;
}

/// `%` and line ends, and in a property `:` and `,` as well, as GitHub's runner undoes them.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string annotation(const Problem& problem, const TestVerdict& verdict) {
  std::string text = "::error file=" + github_escaped(problem.file.empty() ? verdict.file : problem.file, true);
  if (problem.line > 0) text += ",line=" + std::to_string(problem.line);
  return text + ",title=" + github_escaped("peerpath " + std::string{word_of(verdict)}, true) +
         "::" + github_escaped(problem.message, false) + "\n";
}

}  // namespace

std::string_view word_of(const TestVerdict& verdict) {
  switch (verdict.outcome.kind) {
    case Kind::passed:
      return verdict.drifts.empty() ? "PASS" : "DRIFT";
    case Kind::failed:
      return "FAIL";
    case Kind::skipped:
      return "SKIP";
    case Kind::wrong:
      return "WRONG";
    case Kind::crashed:
      return "CRASH";
    case Kind::interrupted:
      return "STOPPED";
  }
  return "";
}

Exit exit_of(std::span<const TestVerdict> verdicts) {
  auto worst = Exit::done;
  for (const auto& verdict : verdicts)
    if (const auto exit = exit_of_one(verdict); weight(exit) > weight(worst)) worst = exit;
  return worst;
}

std::vector<std::string> sentences_of(const TestVerdict& verdict) {
  std::vector<std::string> sentences;
  for (const auto& problem : verdict.outcome.problems) sentences.push_back(to_string(problem));
  for (const auto& drift : verdict.drifts) sentences.push_back(drift);
  return sentences;
}

std::string github_annotations(const TestVerdict& verdict) {
  if (exit_of_one(verdict) == Exit::done) return {};
  std::string text;
  for (const auto& problem : verdict.outcome.problems) text += annotation(problem, verdict);
  for (const auto& drift : verdict.drifts) text += annotation({"", 0, 0, "", drift}, verdict);
  return text;
}

}  // namespace peerpath::cli
