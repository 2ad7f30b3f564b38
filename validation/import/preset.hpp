// From a machine's functions to the devices and links of a scenario.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/lspci.hpp"

namespace peerpath::import {

/// A scenario without traffic, as JSON: the root complex with its memory, switches (one an upstream port), and each
/// function 0 that has a trained link: network controllers as `nic`, display controllers as `gpu`, others and the card
/// of pcie-bench as `dma_card`. MPS, MRRS, tags and links are those of the dump; all else stays at its default.
/// Problems: a dump without such a function, or one whose links or payload sizes are hidden (lspci run without root).
tl::expected<std::string, Problems> to_preset(const std::vector<Function>& functions, const std::string& file);

}  // namespace peerpath::import
