// DRAM of a host of a platform.
#pragma once

#include <memory>
#include <string>

#include "devices/host_cpu/copy_request.hpp"
#include "devices/host_memory/config.hpp"
#include "devices/host_memory/memory_gate.hpp"
#include "platform/device.hpp"

namespace peerpath::host {
class RefusedWrites;
}  // namespace peerpath::host

namespace peerpath::platform {

class Platform;

/// DRAM of a host, to be bound to `RootComplex::memory`. The host's cores share its place in the fabric.
class HostMemory final : public Device {
 public:
  /// `function` says how the cores and the memory's completions use the hierarchy: MPS, MRRS, tags; `before`, how much
  /// of the address space memories of other sockets have.
  HostMemory(const std::string& name, Domain& domain, const device::HostMemoryConfig& config = {},
             const device::FunctionConfig& function = {}, Bytes before = {});
  ~HostMemory() override;
  const device::HostMemoryConfig& config() const { return config_; }
  /// Takes a piece of DRAM, on a 4 KiB boundary above 4 GiB.
  BusAddress reserve(Bytes size);
  BusAddress memory(Bytes size) override { return reserve(size); }
  /// What the host's cores ask of copy engines.
  host_cpu::CopyRequests& copies() { return copies_; }
  void count_refused_writes() override;
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;
  bool reports_after_cores() const override { return true; }

  struct Counted {
    host::CacheCounters cache;
    Duration channels{};  ///< busy, summed over them
    Bytes refused{};      ///< of what came to be written
  };

 private:
  device::HostMemoryConfig config_;
  BusAddress next_;
  host_cpu::CopyRequests copies_;
  std::unique_ptr<host_memory::MemoryGate> gate_;
  std::unique_ptr<host::RefusedWrites> refused_;

 public:
  Port port;
};

}  // namespace peerpath::platform
