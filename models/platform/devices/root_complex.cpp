#include "platform/devices/root_complex.hpp"

#include "core/devices/root_complex/root_complex.hpp"
#include "platform/devices/pcie_switch.hpp"

namespace peerpath::platform {

RootComplex::RootComplex(const std::string& name, Domain& domain, int ports, const device::RootComplexConfig& config)
    : node_{domain.add_router(name, root_complex::router(config))},
      ports_{make_ports(domain, node_, ports)},
      peers_{config.peer_to_peer},
      memory{node_} {
  domain.add_port(memory);
  memory.link.internal = true;
  domain.before_build([this] { complete(); });
  if (!root_complex::RootPort::wanted(config)) return;
  for (const auto& port : ports_)
    port->gate = gates_.emplace_back(std::make_unique<root_complex::RootPort>(config)).get();
}

void RootComplex::complete() {
  const auto* host = memory.peer;
  const auto host_node = host != nullptr ? host->node : node_;  // without memory all others are peers
  for (const auto& gate : gates_) gate->set_memory(host_node);
  if (!peers_) return;
  for (const auto& port : ports_) {
    auto* behind = port->peer;
    if (behind == nullptr) continue;
    peer_writes_.push_back(std::make_unique<root_complex::PeerWrites>(*peers_, host_node, behind->gate));
    behind->gate = peer_writes_.back().get();
  }
}

}  // namespace peerpath::platform
