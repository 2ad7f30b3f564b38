// A GPU of a platform.
#pragma once

#include <memory>
#include <string>

#include "core/devices/gpu/bar1.hpp"
#include "core/devices/gpu/gpu.hpp"
#include "core/devices/gpu/peer_reads.hpp"
#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

class HostMemory;

/// A GPU: memory that peers reach, and engines that copy for the hosts whose cores bounce what they receive or send.
class Gpu {
 public:
  Gpu(const std::string& name, Domain& domain, const device::GpuConfig& config = {});
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  fabric::NodeId node() const { return node_; }
  const device::GpuConfig& config() const { return config_; }
  /// Bus address of the window to its memory, and of its copy doorbell.
  BusAddress memory() const { return memory_; }
  BusAddress doorbell() const { return doorbell_; }
  /// Maps a piece of its memory for peers; there has to be room in the window.
  BusAddress map(Bytes size);
  /// Takes requests to copy from the cores of this host too; it has to outlive the GPU. `HostCpu` sees to it.
  void serve(HostMemory& host);
  gpu::Bar1& bar1() { return bar1_; }
  const gpu::Bar1& bar1() const { return bar1_; }
  const gpu::Gpu& behaviour() const { return behaviour_; }
  /// nullptr if peers may read as much at a time as they like.
  const gpu::PeerReads* peer_reads() const { return peer_reads_.get(); }

 private:
  device::GpuConfig config_;
  fabric::NodeId node_;
  BusAddress memory_, doorbell_;
  gpu::Bar1 bar1_;
  gpu::Gpu behaviour_;
  std::unique_ptr<gpu::PeerReads> peer_reads_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
