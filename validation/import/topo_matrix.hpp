// `nvidia-smi topo -m`: a matrix of how near GPUs and NICs are to each other.
//
// Its words (nvidia-smi's own legend): X itself, PIX at most one PCIe bridge between, PXB several bridges, PHB a host
// bridge, NODE several host bridges of one NUMA node, SYS NUMA nodes, NV# NVLinks, which hide how near the two are by
// PCIe.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/machine.hpp"

namespace peerpath::import {

/// What is PIX to each other stands below one switch, those of PXB below one above these; PHB makes host bridges, NODE
/// makes sockets, and so does an equal NUMA or CPU affinity of GPUs that NVLinks join. How near those are by PCIe stays
/// unknown: each has a root port of its own, marked as assumed. Links are not in it. Problems: no matrix, a row or word
/// that cannot be read, two entries for a pair that differ, and relations that no tree has (A and B, B and C near, A
/// and C far).
tl::expected<Machine, Problems> parse_topo_matrix(std::string_view text, const std::string& file);

/// Whether a line is the head of such a matrix: GPU0 and what stands beside it, no relations.
bool has_topo_matrix(std::string_view text);

}  // namespace peerpath::import
