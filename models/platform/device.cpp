#include "platform/device.hpp"

#include "devices/gpu/copy_streams.hpp"
#include "peerpath/base/fail.hpp"
#include "transport/traffic/dma_source.hpp"

namespace peerpath::platform {

Port& Device::take_port(bool) { fail("a link ends at a device without PCIe ports"); }

BusAddress Device::memory(Bytes) { fail("a device with memory"); }

PiecedMemory Device::map_pieces(Bytes, BusAddress, Bytes) { fail("a device that remaps its window"); }

void Device::copy(const gpu::CopyWork&, const ByChannel&) { fail("a device that makes copies"); }

void Device::queue(Domain& domain, transport::DmaSource& source, const ByChannel& channel) {
  ++domain.endpoint(node_).channels;
  const Place place{.node = node_, .channels = 1, .hears_arrivals = true, .only_asks = true};
  channel(domain.first_channel(domain.attach(source, place)));
}

}  // namespace peerpath::platform
