// What a platform has counted at one instant, and what two such instants make of the results.
#pragma once

#include <any>
#include <map>
#include <string>

#include "observe/ledger.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

/// All counters of a platform at one instant.
struct Counts {
  Instant when{};
  observe::Snapshot links;
  std::map<std::string, std::any> devices;  ///< by name, each as its kind has them
};

/// Copies them; the fabric has computed exactly until `now`.
Counts take_counts(Platform& platform, Instant now);

/// Fills links, CPUs, memories, resources, faults and the metrics of single devices of `results` with what happened
/// between two instants.
void fill(observe::Results& results, const Platform& platform, const scenario::Scenario& scenario, const Meter& meter,
          const Counts& before, const Counts& after);

}  // namespace peerpath::platform
