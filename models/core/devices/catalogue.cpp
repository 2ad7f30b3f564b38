#include "core/devices/catalogue.hpp"

#include <array>

namespace peerpath::device {
namespace {

constexpr std::array kinds{
    DeviceKind{"root_complex", "Root ports and the way from them to host memory", R"({"kind": "root_complex"})"},
    DeviceKind{"host_memory", "DRAM of the host", R"({"kind": "host_memory", "at": "rc0"})"},
    DeviceKind{"host_cpu", "Cores that run driver and protocol", R"({"kind": "host_cpu", "at": "rc0", "cores": 4})"},
    DeviceKind{"pcie_switch", "PCIe switch, or one level of it", R"({"kind": "pcie_switch", "latency": "110ns"})"},
    DeviceKind{"nic", "Ethernet NIC with header split and steering", R"({"kind": "nic", "wire_rate": "200Gbps"})"},
    DeviceKind{"gpu", "GPU: memory behind a BAR, and copy engines", R"({"kind": "gpu", "memory": "80GiB"})"},
    DeviceKind{"dma_card", "Card that does nothing but DMA", R"({"kind": "dma_card", "outstanding": 64})"},
};

}  // namespace

std::span<const DeviceKind> device_kinds() { return kinds; }

}  // namespace peerpath::device
