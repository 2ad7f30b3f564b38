// What `peerpath test` says of one scenario, and its forms for machines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/summary.hpp"
#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

struct TestVerdict {
  std::string file;  ///< as the user's words led to it
  study::Summary outcome;
  std::vector<std::string> drifts;       ///< from the baseline, a sentence each
  std::vector<std::string> unsettled{};  ///< a sentence for each metric that the baseline gives no verdict on
};

/// "PASS", "FAIL", "DRIFT", "SKIP", "WRONG", "CRASH", "STOPPED".
std::string_view word_of(const TestVerdict& verdict);

/// The exit status of all together: that of the worst, in the order crash, interrupt, unreadable, broken expectation,
/// drift.
Exit exit_of(std::span<const TestVerdict> verdicts);

/// One line each of what was wrong, with its place; for a person.
std::vector<std::string> sentences_of(const TestVerdict& verdict);

/// JUnit: <failure type="expectation">, <failure type="drift">, <error type="scenario">, <error type="crash">,
/// <skipped>.
std::string junit_xml(std::span<const TestVerdict> verdicts);

/// Lines that GitHub Actions shows at the place in the file: ::error file=...,line=...::...
std::string github_annotations(const TestVerdict& verdict);

}  // namespace peerpath::cli
