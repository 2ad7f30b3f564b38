#include "devices/pcie_switch/pcie_switch.hpp"

namespace peerpath::pcie_switch {

fabric::Router router(const device::SwitchConfig& config) { return {.latency = config.latency}; }

pcie::FunctionIdentity upstream_port(const device::SwitchConfig& config, pcie::LinkShape link) {
  pcie::FunctionIdentity id;
  id.kind = pcie::FunctionKind::upstream_port;
  id.max_payload_supported = config.max_payload_supported;
  id.link = link;
  return id;
}

pcie::FunctionIdentity downstream_port(const device::SwitchConfig& config, int number, pcie::LinkShape link) {
  auto id = upstream_port(config, link);
  id.kind = pcie::FunctionKind::downstream_port;
  id.port_number = static_cast<std::uint8_t>(number);
  id.acs_capabilities = pcie::acs::source_validation | pcie::acs::translation_blocking | pcie::acs::request_redirect |
                        pcie::acs::completion_redirect | pcie::acs::upstream_forwarding | pcie::acs::egress_control |
                        pcie::acs::direct_translated;
  return id;
}

}  // namespace peerpath::pcie_switch
