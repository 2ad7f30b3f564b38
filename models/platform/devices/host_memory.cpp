#include "platform/devices/host_memory.hpp"

#include "core/devices/host_cpu/driver_context.hpp"
#include "core/devices/host_memory/host_memory.hpp"

namespace peerpath::platform {
namespace {

constexpr BusAddress buffers_base{0x1'0000'0000};  ///< drivers take DRAM above 4 GiB

Window window(BusAddress base, Bytes size) { return {base.value(), static_cast<std::uint64_t>(size.count())}; }

}  // namespace

HostMemory::HostMemory(const std::string& name, Domain& domain, const device::HostMemoryConfig& config,
                       const device::FunctionConfig& function)
    : node_{domain.add_endpoint(
          name, host_memory::fabric_endpoint(config, {.max_payload = function.max_payload,
                                                      .max_read_request = function.max_read_request,
                                                      .tags = function.tags,
                                                      .channels = host_cpu::host_channels,
                                                      .completion_timeout = function.completion_timeout}))},
      next_{buffers_base},
      port{node_} {
  domain.add_port(port);
  for (const auto& region : host_memory::regions(name, config)) domain.map(node_, window(region.base, region.size));
  domain.map(node_, window(host_memory::interrupt_base, host_memory::interrupt_size));
  if (!host_memory::MemoryGate::wanted(config)) return;
  gate_ = std::make_unique<host_memory::MemoryGate>(config);
  port.gate = gate_.get();
}

BusAddress HostMemory::reserve(Bytes size) {
  const auto at = next_;
  next_ = next_ + Bytes{(size.count() + 4095) / 4096 * 4096};
  return at;
}

}  // namespace peerpath::platform
