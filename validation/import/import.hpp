// Any of the dumps that machines say of themselves with.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/preset.hpp"

namespace peerpath::import {

/// The devices and links in `lspci -vvv`, `nvidia-smi topo -m` or NCCL's topology, told apart by how they begin.
tl::expected<Preset, Problems> import_dump(std::string_view text, const std::string& file);

}  // namespace peerpath::import
