// A GPU of a platform.
#pragma once

#include <memory>
#include <string>

#include "devices/gpu/bar1.hpp"
#include "devices/gpu/config.hpp"
#include "devices/gpu/gpu.hpp"
#include "devices/gpu/peer_reads.hpp"
#include "peerpath/scenario/bar1.hpp"
#include "platform/device.hpp"

namespace peerpath::host {
class RefusedWrites;
}  // namespace peerpath::host

namespace peerpath::platform {

class HostMemory;
class Platform;

/// A GPU: memory that peers reach, and engines that copy for the hosts whose cores bounce what they receive or send.
class Gpu final : public Device {
 public:
  Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config = {});
  ~Gpu() override;
  const device::GpuConfig& config() const { return config_; }
  /// Bus address of the window to its memory, and of its copy doorbell.
  BusAddress window() const { return window_; }
  BusAddress doorbell() const { return doorbell_; }
  /// Maps a piece of its memory for peers; there has to be room in the window.
  BusAddress map(Bytes size);
  BusAddress memory(Bytes size) override { return map(size); }
  /// Takes requests to copy from the cores of this host too; it has to outlive the GPU. `HostCpu` sees to it.
  void serve(HostMemory& host);
  gpu::Bar1& bar1() { return bar1_; }
  const gpu::Gpu& behaviour() const { return behaviour_; }
  Port& take_port(bool) override { return pcie; }
  int outstanding() const override { return config_.outstanding.value_or(Device::outstanding()); }
  void shape(transport::DmaPattern& pattern, bool atomic) const override;
  /// What kernels have outstanding where it leaves by one queue: `asked` reads or storing warps.
  void queue(transport::DmaPattern& pattern, int asked) const;
  void count_refused_writes() override;
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;
  /// Adds what came of the plan for its window; what was not mapped is a fault besides.
  void report_window(Report& report, const scenario::Bar1Plan& plan, const std::any& before,
                     const std::any& after) const;

  struct Counted {
    gpu::CopyCounters copies;
    Duration copying{};  ///< summed over the engines
    gpu::Bar1Counters window;
    Duration peer_reads{};  ///< held, summed over the reads that it serves at a time
    Bytes refused{};        ///< of what came to be written
  };

 private:
  device::GpuConfig config_;
  BusAddress window_, doorbell_;
  gpu::Bar1 bar1_;
  gpu::Gpu behaviour_;
  std::unique_ptr<gpu::PeerReads> peer_reads_;
  std::unique_ptr<host::RefusedWrites> refused_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
