// Where a device sits in a domain, and what it is joined to besides PCIe, for users of the SystemC modules.
#pragma once

#include "peerpath/device/place.hpp"

namespace peerpath::sc {

using device::DeviceIndex;
using device::EthernetPort;
using device::Place;
using device::Window;
using device::Wire;

}  // namespace peerpath::sc
