// The root complex: root ports, and the way from them to host memory. The model card is README.md beside this.
#pragma once

#include "core/pcie/function_registers.hpp"
#include "devices/root_complex/config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::root_complex {

/// How the fabric is to simulate its inside: every port reaches every other one, and host memory, in `latency`.
fabric::Router router(const device::RootComplexConfig& config);

/// A root port as software finds it: a PCI-to-PCI bridge on bus 0 that can redirect peer-to-peer requests.
pcie::FunctionIdentity root_port(const device::RootComplexConfig& config, int number, pcie::LinkShape link);

}  // namespace peerpath::root_complex
