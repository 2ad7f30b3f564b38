#include "tools/peerpath/batch/network_outcome.hpp"

#include <chrono>

#include "platform/network/run.hpp"
#include "tools/peerpath/files/located.hpp"

namespace peerpath::cli {

Outcome outcome_of(const network_scenario::Loaded& loaded, const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto ran = network_run::run(loaded, {.progress = {}, .stop = stop});
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Outcome outcome;
  if (ran) {
    outcome = judged(ran->results);
  } else {
    outcome.kind = Outcome::Kind::wrong;
    outcome.problems = ran.error();
  }
  outcome.scenario = loaded.scenario.name;
  outcome.seconds = seconds;
  for (auto& problem : outcome.problems)
    if (problem.file.empty()) problem = located(problem, loaded.file, loaded.origins);
  return outcome;
}

}  // namespace peerpath::cli
