// The numbers of a scenario, each by its key: listed, doubled and halved.
#pragma once

#include <string>
#include <vector>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::study {

/// A number that a scenario sets or leaves at its default.
struct Number {
  std::string key;      ///< "devices.nic0.prefetch"
  std::string pointer;  ///< "/devices/nic0/prefetch"
  std::string option;   ///< "nic.prefetch": the same for all devices of a kind, as `peerpath explain` knows it
};

/// Counts, sizes, rates and times of devices, links, links between sockets, cables and traffic; those of `run` and of
/// events are not among them.
std::vector<Number> numbers(const scenario::Scenario& scenario);

/// Doubles the number, or halves it, within its bounds. False if that leaves it as it is.
bool scale(scenario::Scenario& scenario, const std::string& pointer, bool doubled);

}  // namespace peerpath::study
