#include "devices/host_cpu/kind.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<HostCpuConfig>::check(const HostCpuConfig& cpu, scenario::DeviceCheck& check) {
  check.units("cores", cpu.cores);
  if (check.tree().root_config(cpu.at) != nullptr && !check.has_memory_beside())
    check.add_device("needs a host_memory for its programs and rings");
}

}  // namespace peerpath::device
