#include "devices/host_memory/host_memory.hpp"

#include <algorithm>

namespace peerpath::host_memory {

fabric::Endpoint fabric_endpoint(const device::HostMemoryConfig& config, const HostSide& host) {
  fabric::Endpoint e;
  e.max_payload = host.max_payload;
  e.max_read_request = host.max_read_request;
  e.max_completion = std::min(config.completion_step.value_or(host.max_payload), host.max_payload);
  e.tags = host.tags;
  e.completion_timeout = host.completion_timeout;
  e.service[static_cast<std::size_t>(pcie::TlpClass::posted)].rate = config.write_rate;
  e.read_latency = config.read_latency;
  e.read_rate = config.read_rate;
  e.channels = host.channels;
  return e;
}

std::vector<pcie::FixedRegion> regions(std::string_view name, const device::HostMemoryConfig& config) {
  return pcie::dram_regions(name, config.size);
}

}  // namespace peerpath::host_memory
