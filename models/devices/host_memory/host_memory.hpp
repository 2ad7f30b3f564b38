// DRAM of a host behind its root complex. The model card is README.md beside this.
#pragma once

#include <string_view>
#include <vector>

#include "core/pcie/address_map.hpp"
#include "devices/host_memory/config.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::host_memory {

/// What the root complex decides for the memory's node, which is the node of the cores as well.
struct HostSide {
  Bytes max_payload{256};       ///< MPS of the hierarchy: size of the completions that it sends
  Bytes max_read_request{512};  ///< of reads by the cores
  int tags = 256;
  int channels = 1;  ///< own ones: of the cores
  Duration completion_timeout{};
};

/// How the fabric is to simulate it.
fabric::Endpoint fabric_endpoint(const device::HostMemoryConfig& config, const HostSide& host);

/// Its bus addresses, as a PC maps DRAM.
std::vector<pcie::FixedRegion> regions(std::string_view name, const device::HostMemoryConfig& config);

/// Where interrupts are written to: the messages go to the cores, not to DRAM (Intel SDM volume 3, "Message Signalled
/// Interrupts"; also AMD64).
inline constexpr BusAddress interrupt_base{0xfee0'0000};
inline constexpr Bytes interrupt_size{1 << 20};

/// Bytes that DRAM read and wrote.
struct Load {
  Bytes read{};
  Bytes written{};
};

}  // namespace peerpath::host_memory
