// `--set devices.nic0.queues=8`: changes to a scenario's tree from the command line.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "scenario/document.hpp"

namespace peerpath::scenario {

/// Applies overrides in order. A value is JSON if it parses as such, else a text: 8, true, 4KiB, ["64B","128B"].
/// Parts of the path go by key; in lists by place, by `name`, or (links) by `to` or as results name them (nic0-sw0).
/// null takes back to the default, or removes the entry of a list.
void apply_overrides(const std::vector<std::string>& overrides, Node& root, Report& report);

/// The keys that a pattern stands for (see `Prepared::keys`), or why there is none.
tl::expected<std::vector<std::string>, std::string> matching_keys(const std::string& pattern, const Node& root);

}  // namespace peerpath::scenario
