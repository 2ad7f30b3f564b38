// The kinds of devices that there are. No other list names them: a new kind is a folder below models/devices, and its
// line here.
#pragma once

#include <variant>

#include "devices/dma_card/kind.hpp"
#include "devices/gpu/kind.hpp"
#include "devices/gpunet_proxy/kind.hpp"
#include "devices/host_cpu/kind.hpp"
#include "devices/host_memory/kind.hpp"
#include "devices/nic/kind.hpp"
#include "devices/nvme/kind.hpp"
#include "devices/odp_nic/kind.hpp"
#include "devices/pcie_switch/kind.hpp"
#include "devices/root_complex/kind.hpp"

namespace peerpath::device {

/// The options of a device of any kind. In this order a platform makes devices, so nodes and links of the fabric are
/// numbered in it.
using AnyConfig = std::variant<RootComplexConfig, HostMemoryConfig, SwitchConfig, GpuConfig, NicConfig, DmaCardConfig,
                               NvmeConfig, OdpNicConfig, HostCpuConfig, GpunetProxyConfig>;

}  // namespace peerpath::device
