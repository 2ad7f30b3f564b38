#include "devices/pcie_switch/kind.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<SwitchConfig>::check(const SwitchConfig& bridge, scenario::DeviceCheck& check) { check.acs(bridge.acs); }

}  // namespace peerpath::device
