// Any of the dumps that machines say of themselves with.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/preset.hpp"

namespace peerpath::import {

/// The devices and links in the output of `lspci -vvv`, `lspci -tv`, `nvidia-smi topo -m`, `rocm-smi --showtopo` or
/// `lstopo --of xml`, or in NCCL's topology, told apart by how they begin.
tl::expected<Preset, Problems> import_dump(std::string_view text, const std::string& file);

}  // namespace peerpath::import
