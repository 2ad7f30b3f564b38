#include "devices/root_complex/root_complex.hpp"

namespace peerpath::root_complex {

fabric::Router router(const device::RootComplexConfig& config) { return {.latency = config.latency}; }

pcie::FunctionIdentity root_port(const device::RootComplexConfig& config, int number, pcie::LinkShape link) {
  pcie::FunctionIdentity id;
  id.kind = pcie::FunctionKind::root_port;
  id.max_payload_supported = config.max_payload_supported;
  id.link = link;
  id.port_number = static_cast<std::uint8_t>(number);
  id.acs_capabilities = pcie::acs::source_validation | pcie::acs::translation_blocking | pcie::acs::request_redirect |
                        pcie::acs::completion_redirect | pcie::acs::upstream_forwarding;
  return id;
}

}  // namespace peerpath::root_complex
