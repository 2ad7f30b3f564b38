// A GPU of a platform.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/gpu/bar1.hpp"
#include "devices/gpu/config.hpp"
#include "devices/gpu/copy_streams.hpp"
#include "devices/gpu/gpu.hpp"
#include "devices/gpu/peer_reads.hpp"
#include "devices/gpu/request_queue.hpp"
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
  /// `shared`: several of its kernels and copies share its one queue, if it has one (KernelsConfig::one_queue).
  Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config = {}, bool shared = false);
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
  PiecedMemory map_pieces(Bytes buffer, BusAddress at, Bytes size) override;
  void queue(Domain& domain, transport::DmaSource& source, const ByChannel& channel) override;
  bool has_one_queue() const override { return one_queue_; }
  bool makes_copies() const override { return true; }
  void copy(const gpu::CopyWork& work, const ByChannel& channel) override;
  DeviceIndex copies_at() const override { return copies_at_; }
  Duration hand_over() const override { return config_.copies.value_or(device::CopiesConfig{}).hand_over_to; }
  void attach_copies(Domain& domain) override;
  void attach_queue(Domain& domain) override;
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
  void shape_kernels(transport::DmaPattern& pattern, bool atomic) const;
  void shape_queued(transport::DmaPattern& pattern, int asked) const;

  device::GpuConfig config_;
  bool one_queue_;
  BusAddress window_, doorbell_;
  gpu::Bar1 bar1_;
  gpu::Gpu behaviour_;
  std::unique_ptr<gpu::PeerReads> peer_reads_;
  std::unique_ptr<host::RefusedWrites> refused_;
  std::unique_ptr<gpu::CopyStreams> copies_;
  std::vector<ByChannel> copy_channels_;  ///< by stream
  DeviceIndex copies_at_{};
  std::unique_ptr<gpu::RequestQueue> queue_;
  std::vector<std::pair<transport::DmaSource*, ByChannel>> queued_;  ///< by its one queue

 public:
  Port pcie;
};

}  // namespace peerpath::platform
