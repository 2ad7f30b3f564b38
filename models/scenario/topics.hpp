// What `peerpath explain` can be asked about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/scenario/describe.hpp"

namespace peerpath::scenario {

/// A kind of device or a section, with all its options.
struct Topic {
  Entry entry;
  std::vector<OptionInfo> options;
};

/// Help for "nic", "nic.queues" or, without its kind, "queues"; nothing for what none of the topics has.
std::optional<std::string> explain_among(const std::vector<Topic>& topics, std::string_view topic);

/// The name among them that is closest to `word`, or "".
std::string nearest_among(const std::vector<Topic>& topics, std::string_view word);

}  // namespace peerpath::scenario
