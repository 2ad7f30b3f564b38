// `rocm-smi --showtopo`: how GPUs of AMD reach each other, and their NUMA nodes.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/machine.hpp"

namespace peerpath::import {

/// The GPUs, at the sockets that their NUMA nodes make. Weights and hops count what a way costs, by PCIe through the
/// processors as by xGMI, and say nothing of switches; NICs are not in it: each GPU has a root port of its own
/// (assumed). Problems: no "Numa Node" of any GPU.
tl::expected<Machine, Problems> parse_rocm_topo(std::string_view text, const std::string& file);

/// Whether a line speaks of the (Topology) of a GPU.
bool has_rocm_topo(std::string_view text);

}  // namespace peerpath::import
