// DRAM of a host of a platform.
#pragma once

#include <memory>
#include <string>

#include "core/devices/host_cpu/copy_request.hpp"
#include "core/devices/host_memory/memory_gate.hpp"
#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

/// DRAM of a host, to be bound to `RootComplex::memory`. The host's cores share its place in the fabric.
class HostMemory {
 public:
  /// `function` says how the cores and the memory's completions use the hierarchy: MPS, MRRS, tags.
  HostMemory(const std::string& name, Domain& domain, const device::HostMemoryConfig& config = {},
             const device::FunctionConfig& function = {});
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  fabric::NodeId node() const { return node_; }
  /// Takes a piece of DRAM, on a 4 KiB boundary above 4 GiB.
  BusAddress reserve(Bytes size);
  /// What the host's cores ask of copy engines.
  host_cpu::CopyRequests& copies() { return copies_; }
  /// Caches and sockets before it, or nullptr.
  const host_memory::MemoryGate* gate() const { return gate_.get(); }

 private:
  fabric::NodeId node_;
  BusAddress next_;
  host_cpu::CopyRequests copies_;
  std::unique_ptr<host_memory::MemoryGate> gate_;

 public:
  Port port;
};

}  // namespace peerpath::platform
