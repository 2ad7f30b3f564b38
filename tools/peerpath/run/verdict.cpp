#include "tools/peerpath/run/verdict.hpp"

#include <algorithm>

namespace peerpath::cli {

bool ends_in_unwanted_deadlock(const observe::Results& results) {
  return results.deadlock && std::ranges::none_of(results.expectations, [](const observe::ExpectationResult& e) {
           return e.metric == "run.deadlock_cycle" || e.metric == "network.deadlock" ||
                  e.metric == "run.blocked_queues";
         });
}

Exit verdict(const observe::Results& results) {
  if (!results.conservation.empty()) return Exit::bug;  // the model lost or invented bytes
  if (!results.complete) return Exit::interrupted;
  if (results.protocol && !results.protocol->empty()) return Exit::expectation_failed;
  if (ends_in_unwanted_deadlock(results)) return Exit::expectation_failed;
  const bool failed = std::ranges::any_of(
      results.expectations, [](const observe::ExpectationResult& e) { return e.verdict == observe::Verdict::failed; });
  return failed ? Exit::expectation_failed : Exit::done;
}

}  // namespace peerpath::cli
