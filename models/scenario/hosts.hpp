// Machines of `hosts` become devices and links of the scenario, before values are read.
#pragma once

#include <string_view>

#include "scenario/document.hpp"

namespace peerpath::scenario {

/// Whether a device or host may be called so.
bool is_name(std::string_view name);

/// The name of a device without its host: "gpu0" of "n[1].gpu0"; the whole of a name without a well-formed host.
std::string_view own_name(std::string_view device);

/// Takes `hosts` out of `root`, and adds to its devices, links, inter_socket and arbitration those of each machine,
/// whose names of devices then begin with the machine's ("n[1]."). Every value keeps its place. What stands in
/// `devices` under the name of a machine's device changes that device (JSON Merge Patch).
void expand_hosts(Node& root, Report& report);

}  // namespace peerpath::scenario
