// From a machine's functions to the devices and links of a scenario.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/import/lspci.hpp"

namespace peerpath::import {

/// A scenario without traffic, and what its reader should know.
struct Preset {
  std::string text;                ///< JSON
  std::vector<std::string> notes;  ///< what the dump leaves open, or does not fit into a scenario
};

/// The root complex with its memory (two, joined by an assumed link, where the devices are at two NUMA nodes), switches
/// (one an upstream port), and each function 0 that has a trained link: network controllers as `nic`, display
/// controllers as `gpu`, others and the card of pcie-bench as `dma_card`. Of the dump are MPS, MRRS, tags, links, BARs
/// of GPUs, ACS controls of the ports above (those that differ within a router by an event at 0ns), host bridges (root
/// buses), and whether Linux trusts them; all else stays at its default. Each device keeps the `address` of its
/// function. Problems: a dump without such a function, one whose links or payload sizes are hidden (lspci run without
/// root), a GPU whose largest prefetchable BAR is unassigned or disabled.
tl::expected<Preset, Problems> to_preset(const std::vector<Function>& functions, const std::string& file);

}  // namespace peerpath::import
