// The topology that NCCL found, as NCCL_TOPO_DUMP_FILE writes it and NCCL_TOPO_FILE reads it: XML of CPUs (NUMA nodes),
// PCI functions and what they are. NCCL writes one `pci` for each switch, not for its ports; GPUs and NICs stand below.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/machine.hpp"

namespace peerpath::import {

/// Switches (class 0604), GPUs (with <gpu>, or class 03) and network controllers (<nic>, 02) with their links and the
/// speed of their ports. Switches without either below them, other classes and NICs without a PCI function are left
/// out. Problems: what is no such XML, a function without bus ID, or with neither a class nor what it is, twice the
/// same one, a link that cannot be read, CPUs of several hosts.
tl::expected<Machine, Problems> parse_nccl(std::string_view text, const std::string& file);

}  // namespace peerpath::import
