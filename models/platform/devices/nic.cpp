#include "platform/devices/nic.hpp"

#include "core/devices/host_memory/host_memory.hpp"
#include "platform/devices/host_memory.hpp"

namespace peerpath::platform {
namespace {

int nic_channels(const device::NicConfig& config) {
  return nic::nic_channels + (config.ats ? ats::channels(*config.ats) : 0);
}

fabric::Endpoint nic_endpoint(const device::NicConfig& config) {
  const auto& function = config.function;
  return {.max_payload = function.max_payload,
          .max_read_request = function.max_read_request,
          .max_completion = function.max_payload,
          .tags = function.tags,
          .completion_timeout = function.completion_timeout,
          .channels = nic_channels(config),
          .one_queue = function.one_queue};
}

/// With ATS, translation requests have channels of their own behind those of the NIC.
std::unique_ptr<ats::AtsFunction> make_ats(nic::Nic& behaviour, const device::NicConfig& config, fabric::NodeId self,
                                           fabric::NodeId memory) {
  if (!config.ats) return nullptr;
  const auto channel = static_cast<std::uint16_t>(nic::nic_channels + 1);
  return std::make_unique<ats::AtsFunction>(behaviour, *config.ats, self, memory, fabric::ChannelIndex{channel});
}

/// Rings in host memory. The NIC learns their places when it is made.
std::shared_ptr<nic::QueueMemory> make_rings(const device::NicConfig& config, HostMemory& host) {
  auto rings = std::make_shared<nic::QueueMemory>(config.queues, static_cast<std::uint32_t>(config.ring_entries));
  const nic::MemoryPlace origin{host.node(), BusAddress{0}};
  const nic::MemoryPlace interrupts{host.node(), host_memory::interrupt_base};
  const auto size = rings->place(origin, interrupts).address - origin.address;
  rings->place({host.node(), host.reserve(size)}, interrupts);
  return rings;
}

}  // namespace

Nic::Nic(const std::string& name, Domain& domain, HostMemory& host, const device::NicConfig& config)
    : config_{config},
      node_{domain.add_endpoint(name, nic_endpoint(config))},
      doorbells_{domain.place(node_, nic::Nic::doorbell_bar(config), false)},
      rings_{make_rings(config, host)},
      behaviour_{config, rings_, doorbells_},
      ats_{make_ats(behaviour_, config, node_, host.node())},
      device_{domain.attach(ats_ ? static_cast<device::Endpoint&>(*ats_) : behaviour_,
                            {.node = node_, .channels = nic_channels(config)})},
      pcie{node_} {
  domain.add_port(pcie);
}

}  // namespace peerpath::platform
