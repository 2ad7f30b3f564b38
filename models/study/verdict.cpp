#include "study/verdict.hpp"

#include <algorithm>

namespace peerpath::study {

bool ends_in_unwanted_deadlock(const observe::Results& results) {
  return results.deadlock && std::ranges::none_of(results.expectations, [](const observe::ExpectationResult& e) {
           return e.metric == "run.deadlock_cycle" || e.metric == "network.deadlock" ||
                  e.metric == "run.blocked_queues";
         });
}

Ending verdict(const observe::Results& results) {
  if (!results.conservation.empty()) return Ending::crashed;  // the model lost or invented bytes
  if (!results.complete) return Ending::interrupted;
  if (results.protocol && !results.protocol->empty()) return Ending::failed;
  if (ends_in_unwanted_deadlock(results)) return Ending::failed;
  const bool failed = std::ranges::any_of(
      results.expectations, [](const observe::ExpectationResult& e) { return e.verdict == observe::Verdict::failed; });
  return failed ? Ending::failed : Ending::passed;
}

}  // namespace peerpath::study
