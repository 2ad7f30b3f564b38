// `lspci -tv`: the tree of buses, bridges and functions, with the names of vendors and devices.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/machine.hpp"

namespace peerpath::import {

/// Such a tree has neither classes nor links: GPUs and NICs are known by their names, and links have their default.
/// Problems: a line that cannot be read, a tree without names (lspci -t), no GPU or NIC by name.
tl::expected<Machine, Problems> parse_lspci_tree(std::string_view text, const std::string& file);

/// Whether a line begins a root bus: "-[0000:00]-", "-+-[0000:ff]-" or " +-[0000:80]-".
bool has_lspci_tree(std::string_view text);

}  // namespace peerpath::import
