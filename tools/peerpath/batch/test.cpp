#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "tools/peerpath/batch/baseline.hpp"
#include "tools/peerpath/batch/child_pool.hpp"
#include "tools/peerpath/batch/test_files.hpp"
#include "tools/peerpath/batch/test_verdict.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"

namespace peerpath::cli {
namespace {

using Kind = study::Ending;

study::Summary skip(std::string why) {
  study::Summary outcome;
  outcome.kind = Kind::skipped;
  outcome.problems.push_back({"", 0, 0, "", std::move(why)});
  return outcome;
}

/// A file that is no scenario of its own, but a part that scenarios extend, is skipped.
study::Summary test_one(const std::string& file, const std::vector<std::string>& overrides,
                        const InterruptGuard& guard) {
  const auto subject = load_subject(file, overrides, nullptr, true);
  if (!subject) {
    const auto& problems = subject.error();
    if (is_part(file)) return skip("a part for scenarios to extend");
    if (problems.size() == 1 && problems.front().key == "/kind") return skip("a preset of one device");
    return study::wrong(problems);
  }
  if (!(*subject)->has_traffic()) return skip("hardware without traffic");
  return study::run_summary(**subject, [&guard] { return guard.interrupted(); });
}

/// How the baseline calls a scenario: its path seen from there.
std::string name_in_baseline(const std::string& file, const std::filesystem::path& baseline) {
  std::error_code error;
  auto folder = std::filesystem::absolute(baseline, error).parent_path();
  return std::filesystem::proximate(file, folder, error).generic_string();
}

/// What the command line of `test` asks for.
struct TestArguments {
  std::vector<std::string> words, overrides;
  int jobs = 1;
  bool annotate = false;
  std::optional<std::string> baseline{};
  bool accept = false;
  std::optional<std::string> junit{};
};

/// nullopt, and said why, if it is wrong.
std::optional<TestArguments> test_arguments(const Arguments& arguments, const Terminal& terminal) {
  const auto jobs = jobs_of(arguments.value("--jobs"), terminal);
  const auto annotations = arguments.value("--annotate");
  TestArguments wanted{arguments.words(), arguments.overrides()};
  wanted.annotate = annotations ? *annotations == "github" : std::getenv("GITHUB_ACTIONS") != nullptr;
  wanted.baseline = arguments.value("--baseline");
  wanted.accept = arguments.has("--accept");
  wanted.junit = arguments.value("--junit");
  const bool nowhere = wanted.accept && !wanted.baseline;
  if (nowhere) terminal.error("--accept requires --baseline FILE");
  if (!jobs || nowhere) return std::nullopt;
  wanted.jobs = *jobs;
  return wanted;
}

Terminal::Paint paint_of(const TestVerdict& verdict) {
  if (verdict.outcome.kind == Kind::skipped) return Terminal::Paint::dim;
  return verdict.outcome.kind == Kind::passed && verdict.drifts.empty() ? Terminal::Paint::green : Terminal::Paint::red;
}

void print_verdict(const TestVerdict& verdict, bool annotate, const Terminal& terminal) {
  const auto& outcome = verdict.outcome;
  const bool well = outcome.kind == Kind::skipped || (outcome.kind == Kind::passed && verdict.drifts.empty());
  if (well && terminal.quiet()) return;
  auto text = terminal.paint(paint_of(verdict), fmt::format("{:<6}", word_of(verdict))) + printable(verdict.file);
  if (outcome.kind == Kind::skipped)
    text += ": " + printable(outcome.problems.front().message);
  else
    text += fmt::format(" ({:.2f} s)", outcome.seconds);
  text += "\n";
  if (!well)
    for (const auto& sentence : sentences_of(verdict)) text += "      " + printable(sentence) + "\n";
  for (const auto& sentence : verdict.unsettled) text += "      " + printable(sentence) + "\n";
  if (annotate) text += github_annotations(verdict);
  terminal.data(text);
}

/// The verdicts of all files, in their order; `judged` sees each once it and all before it are known.
std::vector<TestVerdict> judge_all(const std::vector<std::string>& files, const std::vector<std::string>& overrides,
                                   int jobs, const std::function<void(TestVerdict&)>& judged) {
  const InterruptGuard guard;
  std::vector<TestVerdict> verdicts(files.size());
  std::vector<char> known(files.size(), 0);
  std::size_t told = 0;
  const auto tell = [&](bool all) {
    for (; told < files.size() && (all || known[told] != 0); ++told) judged(verdicts[told]);
  };
  study::Summary never_run;
  never_run.kind = Kind::interrupted;
  for (std::size_t n = 0; n < files.size(); ++n) verdicts[n] = {files[n], never_run, {}};
  ChildPool pool;
  pool.jobs = jobs;
  pool.work = [&](std::size_t n) { return packed(test_one(files[n], overrides, guard)); };
  pool.ended = [&](std::size_t n, const ChildEnd& end) {
    // A child that the stop of all has killed is no crash.
    if (end.crash.empty() || !guard.interrupted()) verdicts[n].outcome = study::unpacked(end.output, end.crash);
    known[n] = 1;
    tell(false);
  };
  pool.stop = [&] { return guard.interrupted(); };
  run_children(files.size(), pool);
  tell(true);
  return verdicts;
}

bool keep_baseline(Baseline baseline, const std::filesystem::path& file, std::span<const TestVerdict> verdicts,
                   const Terminal& terminal) {
  std::size_t accepted = 0;
  for (const auto& verdict : verdicts)
    if (verdict.outcome.kind == Kind::passed) {
      for (const auto& sentence : accept(baseline, name_in_baseline(verdict.file, file), verdict.outcome))
        terminal.warn(verdict.file + ": " + sentence);
      ++accepted;
    }
  if (!write_file(file, to_json(baseline), terminal)) return false;
  terminal.say(fmt::format("{} scenarios accepted into {}", accepted, file.string()));
  return true;
}

}  // namespace

Exit test(const Arguments& arguments, Terminal& terminal) {
  const auto wanted = test_arguments(arguments, terminal);
  if (!wanted) return Exit::wrong_input;
  const auto& file = wanted->baseline;
  const bool accepting = wanted->accept;
  auto files = test_files(wanted->words);
  const auto baseline = file ? read_baseline(*file, accepting) : Baseline{};
  if (!files) terminal.report(files.error());
  if (!baseline) terminal.report(baseline.error());
  if (!files || !baseline) return Exit::wrong_input;

  if (file)  // it may stand among the scenarios
    std::erase_if(*files, [&](const std::string& each) {
      std::error_code error;
      return std::filesystem::equivalent(each, *file, error);
    });
  const auto verdicts = judge_all(*files, wanted->overrides, wanted->jobs, [&](TestVerdict& verdict) {
    if (file && !accepting && verdict.outcome.kind == Kind::passed) {
      const auto name = name_in_baseline(verdict.file, *file);
      verdict.drifts = drifts(*baseline, name, verdict.outcome);
      verdict.unsettled = without_verdict(*baseline, name, verdict.outcome);
    }
    print_verdict(verdict, wanted->annotate, terminal);
  });
  std::size_t passed = 0, skipped = 0;
  for (const auto& verdict : verdicts) {
    passed += word_of(verdict) == "PASS";
    skipped += verdict.outcome.kind == Kind::skipped;
  }
  terminal.data(fmt::format("{} passed, {} failed, {} skipped\n", passed, verdicts.size() - passed - skipped, skipped));
  bool written = true;
  if (wanted->junit) written = write_file(*wanted->junit, junit_xml(verdicts), terminal);
  if (accepting) written = keep_baseline(*baseline, *file, verdicts, terminal) && written;
  if (skipped == verdicts.size()) terminal.error("nothing was tested: none of these scenarios has traffic");
  const auto exit = exit_of(verdicts);
  return (written && skipped < verdicts.size()) || exit != Exit::done ? exit : Exit::wrong_input;
}

}  // namespace peerpath::cli
