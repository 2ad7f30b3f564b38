// What a host's cores are asked to send by a NIC.
#pragma once

#include <optional>

#include "peerpath/base/address.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::device {

/// Buffers in the memory of a device.
struct Buffers {
  fabric::NodeId node{};
  BusAddress address{};
};

/// A transmit queue that sends packets regularly, from GPU memory or, without `from`, from `mapped` or host memory.
/// With `bounce` the GPU's copy engine brings them to pinned memory, a core copies them from there (`by_core`), and the
/// NIC reads host memory. `Gpu` is that of the platform, or the SystemC module around it.
template <class Gpu>
struct SendFrom {
  int queue = 0;
  Gpu* from = nullptr;
  std::optional<Buffers> mapped{};  ///< where in the GPU's window; if it is not given, it is mapped here
  bool bounce = false;
  bool by_core = true;  ///< with `bounce`: else the NIC reads the pinned memory, and no core copies
  Bytes packet{4096};   ///< payload that the application hands over
  Bytes segment{};      ///< > 0: the NIC cuts it to this
  Duration interval{};  ///< between packets
  int burst = 1;
  int flows = 1;
  std::uint32_t first_flow = 0;    ///< number of its first flow
  std::uint64_t first_handle = 0;  ///< in the frames of that flow; those of the others follow
};

}  // namespace peerpath::device
