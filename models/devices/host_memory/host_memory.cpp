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

Load pcie_load(const fabric::Fabric& fabric, fabric::LinkId link, int direction, fabric::NodeId memory, int nodes) {
  const auto towards = fabric.counters(link, direction), back = fabric.counters(link, 1 - direction);
  Load load;
  for (int n = 0; n < nodes; ++n) {
    const fabric::NodeId requester{static_cast<std::uint16_t>(n)};
    if (requester == memory) continue;
    for (std::size_t p = 0; p < pcie::purposes; ++p) {
      const auto purpose = static_cast<pcie::Purpose>(p);
      if (purpose == pcie::Purpose::interrupt) continue;
      load.written += towards.tally(requester, purpose).payload;  // of others, only requests come this way
      load.read += back.tally(requester, purpose).payload;        // and only their completions go back
    }
  }
  return load;
}

Load copy_load(Bytes copied) { return {.read = copied, .written = copied}; }

}  // namespace peerpath::host_memory
