#include "study/run.hpp"

#include <chrono>

#include "study/kinds.hpp"
#include "study/located.hpp"

namespace peerpath::study {
namespace {

/// Problems of a host in a network have the place in its own file already.
void place(Problems& problems, const Subject& subject) {
  for (auto& problem : problems)
    if (problem.file.empty()) problem = located(problem, subject.file(), subject.origins());
}

}  // namespace

tl::expected<SubjectPtr, Problems> load(const std::filesystem::path& name, const scenario::LoadOptions& options) {
  for (const auto& kind : kinds())
    if (auto subject = kind.load(name, options)) return std::move(*subject);
  return tl::unexpected{Problems{{name.string(), 0, 0, "", "is a scenario of no known kind"}}};
}

tl::expected<OutcomePtr, Problems> run(const Subject& subject, const RunRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  auto outcome = subject.run(request);
  if (!outcome) {
    place(outcome.error(), subject);
    return outcome;
  }
  (*outcome)->wall = std::chrono::steady_clock::now() - begin;
  place((*outcome)->problems, subject);
  return outcome;
}

Summary run_summary(const Subject& subject, const std::function<bool()>& stop) {
  RunRequest request;
  request.stop = stop;
  const auto outcome = run(subject, request);
  Summary summary;
  if (!outcome)
    summary = wrong(outcome.error());
  else if (!(*outcome)->problems.empty())
    summary = wrong((*outcome)->problems);
  else
    summary = judged((*outcome)->results());
  summary.scenario = subject.name();
  if (outcome) summary.seconds = std::chrono::duration<double>((*outcome)->wall).count();
  place(summary.problems, subject);
  return summary;
}

}  // namespace peerpath::study
