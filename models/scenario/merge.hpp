// JSON Merge Patch (RFC 7396) on located trees: a value keeps the place it came from.
#pragma once

#include "scenario/document.hpp"

namespace peerpath::scenario {

/// `target` changed by `patch`: objects are merged member by member, null removes a member, other values replace it.
void merge_patch(Node& target, Node patch);

}  // namespace peerpath::scenario
