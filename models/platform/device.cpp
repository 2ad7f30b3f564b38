#include "platform/device.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::platform {

Port& Device::take_port(bool) { fail("a link ends at a device without PCIe ports"); }

BusAddress Device::memory(Bytes) { fail("a device with memory"); }

}  // namespace peerpath::platform
