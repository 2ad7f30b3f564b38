// What a switch does with a memory request that comes up into one of its downstream ports, from the registers alone.
#pragma once

#include <array>
#include <span>

#include "core/pcie/acs.hpp"

namespace peerpath::pcie {

/// A downstream port of a switch, or a root port, as its configuration registers describe it.
struct PortRegisters {
  AcsPort acs{};
  bool memory_enabled = false;            ///< Memory Space Enable: forwards memory requests down
  bool bus_master = false;                ///< Bus Master Enable: forwards requests up
  std::array<BridgeWindow, 2> windows{};  ///< memory and prefetchable
};

/// Where the request goes.
enum class TurnWay : std::uint8_t {
  upstream,  ///< to the port above, or into the root complex
  down,      ///< out of a sibling port
  refused,   ///< Unsupported Request or ACS violation
};

struct Turn {
  TurnWay way = TurnWay::upstream;
  int port = -1;           ///< of `down`: index of the sibling
  AcsDecision decision{};  ///< what ACS had to do with it
};

/// Routes a request of `bytes` at `address` from `requester` that came up into `ports[ingress]`. It goes down a sibling
/// only if all of it lies in one window of that port, and ACS lets it.
Turn turn_request(std::span<const PortRegisters> ports, int ingress, BusAddress address, Bytes bytes, Bdf requester);

}  // namespace peerpath::pcie
