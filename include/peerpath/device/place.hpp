// Where a device sits in a domain, and what it is joined to besides PCIe.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "peerpath/base/id.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::device {

using DeviceIndex = Id<struct DeviceTag>;  ///< in order of attachment

/// Bus addresses [base, base + size).
struct Window {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  constexpr bool contains(std::uint64_t address) const { return address - base < size; }
};

/// A node's place for one device. Several devices may share a node (a host's CPU and its memory): each gets own
/// channels, numbered from 1 as it sees them, and what arrives at the node goes to the first device attached with a
/// window that holds the address, else to the first one without windows, else to nobody. Those that only ask do not
/// count.
struct Place {
  fabric::NodeId node{};
  int channels = 1;
  std::vector<Window> windows{};
  bool hears_arrivals = false;  ///< is told when what it posted with notify_requester has arrived
  bool only_asks = false;       ///< takes in nothing of what comes to the node
};

/// One end of an Ethernet wire.
struct EthernetPort {
  DeviceIndex device{};
  int number = 0;
};

/// An Ethernet wire, one direction at a time: a frame starts when it is sent and the one before it, with its gap, is
/// over; it is delivered when its last bit is in.
struct Wire {
  BitRate rate{};
  Duration latency{};
  /// Is told of every frame when its last bit is in, at either end; may be empty.
  std::function<void(const FrameArrival&)> watch{};
};

}  // namespace peerpath::device
