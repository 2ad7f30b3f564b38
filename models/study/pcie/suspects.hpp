// What may be a scenario's bottleneck, as keys that can be changed.
#pragma once

#include <string>
#include <vector>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::study {

/// One resource of which there could be more or less.
struct Suspect {
  struct Change {
    std::string pointer;   ///< of a number
    bool inverse = false;  ///< a time: half of it is more of the resource
  };
  std::string name;  ///< as the sentence of the bottleneck begins
  std::vector<Change> changes;
  double suspicion = 0;

  static constexpr std::string_view arrival = "the arrival rate";
};

/// The `most` most suspicious ones, the first first: what the results name, what they show as busy, credits that links
/// lacked. The arrival rate is always among them.
std::vector<Suspect> suspects(const scenario::Scenario& scenario, const observe::Results& results, std::size_t most);

}  // namespace peerpath::study
