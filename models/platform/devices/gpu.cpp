#include "platform/devices/gpu.hpp"

#include "peerpath/base/fail.hpp"
#include "platform/devices/host_memory.hpp"

namespace peerpath::platform {

Gpu::Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config)
    : config_{config},
      node_{domain.add_endpoint(name, gpu::fabric_endpoint(config))},
      memory_{domain.place(node_, config.bar_size, true, config.bar_address)},
      doorbell_{domain.place(node_, gpu::register_bar_size, false)},
      bar1_{config},
      behaviour_{config},
      pcie{node_} {
  domain.add_port(pcie);
  domain.attach(behaviour_, {.node = node_, .channels = config.copy_engines, .hears_arrivals = true});
  if (!config.peer_reads) return;
  peer_reads_ = std::make_unique<gpu::PeerReads>(config);
  pcie.gate = peer_reads_.get();
}

void Gpu::serve(HostMemory& host) { behaviour_.serve(host.node(), host.copies()); }

BusAddress Gpu::map(Bytes size) {
  const auto at = bar1_.map(size);
  require(at.has_value(), "what is mapped fits into the GPU's window");
  return memory_ + *at;
}

}  // namespace peerpath::platform
