// The devices as SystemC modules, to be bound to each other by their ports in a platform of one's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/device/catalogue.hpp"
#include "peerpath/device/send.hpp"
#include "peerpath/sc/pcie_port.hpp"

namespace peerpath::dma_card {
struct Stream;
}  // namespace peerpath::dma_card
namespace peerpath::gpu {
class Gpu;
}  // namespace peerpath::gpu
namespace peerpath::host_cpu {
class HostCpu;
class SentSink;
}  // namespace peerpath::host_cpu
namespace peerpath::nic {
class Nic;
}  // namespace peerpath::nic
namespace peerpath::platform {
class DmaCard;
class Gpu;
class HostCpu;
class HostMemory;
class Nic;
class PcieSwitch;
class RootComplex;
}  // namespace peerpath::platform

namespace peerpath::sc {

class ForeignDram;

/// A PCIe switch, or one level of it: routes between any of its ports. Port 0 is the upstream one by custom.
class PcieSwitch final : public sc_core::sc_module {
 public:
  PcieSwitch(const sc_core::sc_module_name& name, Domain& domain, int ports, const device::SwitchConfig& config = {});
  ~PcieSwitch() override;
  PciePort& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  fabric::NodeId node() const;

 private:
  std::unique_ptr<platform::PcieSwitch> plain_;
  std::vector<std::unique_ptr<PciePort>> ports_;
};

/// The root complex: root ports, and `memory`, the way to host memory.
class RootComplex final : public sc_core::sc_module {
 public:
  RootComplex(const sc_core::sc_module_name& name, Domain& domain, int ports,
              const device::RootComplexConfig& config = {});
  ~RootComplex() override;
  PciePort& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  fabric::NodeId node() const;

 private:
  std::unique_ptr<platform::RootComplex> plain_;
  std::vector<std::unique_ptr<PciePort>> ports_;

 public:
  PciePort memory;
};

/// DRAM of a host, to be bound to `RootComplex::memory`. The host's cores share its place in the fabric.
class HostMemory final : public sc_core::sc_module {
 public:
  /// `function` says how the cores and the memory's completions use the hierarchy: MPS, MRRS, tags.
  HostMemory(const sc_core::sc_module_name& name, Domain& domain, const device::HostMemoryConfig& config = {},
             const device::FunctionConfig& function = {});
  ~HostMemory() override;

  /// Puts a foreign TLM-2.0 memory in the place of the modelled DRAM, for rings and payload alike: what devices read
  /// waits for its answers, a cache line at a time. It sees `config.size` bytes from 0 on, without the hole below 4
  /// GiB. Writes are taken in at `config.write_rate`, which has to be what the foreign memory can do; `cache` and
  /// `channels` cannot be had with it. peerpath's own devices move no contents, so what they write is zeros.
  template <TargetSocket S>
  void bind(S& dram, const TargetOptions& options = {.line = 64}) {
    auto& side = foreign_dram(options);
    outlet_ = bind_target(side_name(), dram, side);
  }

  fabric::NodeId node() const;
  /// Takes a piece of DRAM, on a 4 KiB boundary above 4 GiB.
  BusAddress reserve(Bytes size);
  platform::HostMemory& plain() { return *plain_; }

 private:
  void before_end_of_elaboration() override;
  tlm::tlm_bw_transport_if<>& foreign_dram(const TargetOptions& options);
  std::string side_name() const;

  Domain& domain_;
  std::unique_ptr<platform::HostMemory> plain_;
  std::optional<Outlet> outlet_;
  std::unique_ptr<ForeignDram> dram_;

 public:
  PciePort port;
};

/// A GPU: memory that peers reach, and engines that copy for the hosts whose cores bounce what they receive or send.
class Gpu final : public sc_core::sc_module {
 public:
  Gpu(const sc_core::sc_module_name& name, Domain& domain, const device::GpuConfig& config = {});
  ~Gpu() override;
  fabric::NodeId node() const;
  const device::GpuConfig& config() const;
  /// Bus address of the window to its memory, and of its copy doorbell.
  BusAddress memory() const;
  BusAddress doorbell() const;
  /// Maps a piece of its memory for peers; there has to be room in the window.
  BusAddress map(Bytes size);
  /// Takes requests to copy from the cores of this host too; it has to outlive the GPU. `HostCpu` sees to it.
  void serve(HostMemory& host);
  const gpu::Gpu& behaviour() const;
  platform::Gpu& plain() { return *plain_; }

 private:
  std::unique_ptr<platform::Gpu> plain_;

 public:
  PciePort pcie;
};

/// An Ethernet NIC with its rings in `host`. Feed its port 0 through Domain::feed or Domain::join; a HostCpu drives it.
class Nic final : public sc_core::sc_module {
 public:
  Nic(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host, const device::NicConfig& config = {});
  ~Nic() override;
  fabric::NodeId node() const;
  DeviceIndex device() const;
  const device::NicConfig& config() const;
  BusAddress doorbells() const;
  nic::Nic& behaviour();
  platform::Nic& plain() { return *plain_; }

 private:
  std::unique_ptr<platform::Nic> plain_;

 public:
  PciePort pcie;
};

using device::Buffers;
using Send = device::SendFrom<Gpu>;

/// The cores of a host with their drivers. Say which queues they serve before the end of elaboration.
class HostCpu final : public sc_core::sc_module {
 public:
  HostCpu(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host,
          const device::HostCpuConfig& config = {});
  ~HostCpu() override;

  /// Queues of a NIC whose frames the cores receive: payload goes straight to `to`, or with `bounce` to host memory,
  /// from there by a copy of the cores to pinned memory, and then by the GPU's copy engine. Without `to` it goes to
  /// `mapped`, or stays in host memory. `mapped` is where in the GPU's window their buffers are; if it is not given,
  /// they are mapped here.
  void receive(Nic& nic, const std::vector<int>& queues, Gpu* to, bool bounce = false,
               std::optional<Buffers> mapped = std::nullopt);

  void send(Nic& nic, const Send& send);
  /// Who is told of packets whose transmission has completed.
  void watch_sent(host_cpu::SentSink* sink);

  /// After elaboration.
  host_cpu::HostCpu& behaviour();

 private:
  std::unique_ptr<platform::HostCpu> plain_;
};

/// A card that does DMA and nothing else. Without streams it is memory behind a BAR.
class DmaCard final : public sc_core::sc_module {
 public:
  DmaCard(const sc_core::sc_module_name& name, Domain& domain, const device::DmaCardConfig& config = {});
  ~DmaCard() override;
  fabric::NodeId node() const;
  BusAddress memory() const;
  /// Transfers that it makes from the start on; before the end of elaboration. Returns the number of the stream.
  std::size_t add(const dma_card::Stream& stream);

 private:
  std::unique_ptr<platform::DmaCard> plain_;

 public:
  PciePort pcie;
};

}  // namespace peerpath::sc
