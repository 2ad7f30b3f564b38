// The header of a TLP as it stands on the wire.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/trace/sink.hpp"

namespace peerpath::trace {

/// Bus, device and function number that stand for a node: the model routes by name and has none. Node n is function 0
/// of device n % 32 on bus n / 32.
constexpr std::uint16_t function_id(fabric::NodeId node) { return static_cast<std::uint16_t>(node.value() << 3); }

/// Header of 12 or 16 B (PCIe Base Spec 2.2). TH, EP and NS are 0; a read of 0 B asks for one double word with no byte
/// enabled (2.2.5). `digest`: TD is set.
std::vector<std::uint8_t> tlp_header(const Tlp& tlp, bool digest);

}  // namespace peerpath::trace
