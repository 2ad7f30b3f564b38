// The devices as SystemC modules, to be bound to each other by their ports in a platform of one's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/base/address.hpp"
#include "peerpath/device/config.hpp"
#include "peerpath/sc/pcie_port.hpp"

namespace peerpath::ats {
class AtsFunction;
}  // namespace peerpath::ats
namespace peerpath::dma_card {
class DmaCard;
struct Stream;
}  // namespace peerpath::dma_card
namespace peerpath::gpu {
class Bar1;
class Gpu;
class PeerReads;
}  // namespace peerpath::gpu
namespace peerpath::host_cpu {
class CopyRequests;
class HostCpu;
class SentSink;
struct NicSetup;
}  // namespace peerpath::host_cpu
namespace peerpath::host_memory {
class MemoryGate;
}  // namespace peerpath::host_memory
namespace peerpath::root_complex {
class PeerWrites;
class RootPort;
}  // namespace peerpath::root_complex
namespace peerpath::nic {
class Nic;
class QueueMemory;
}  // namespace peerpath::nic

namespace peerpath::sc {

class ForeignDram;

/// A PCIe switch, or one level of it: routes between any of its ports. Port 0 is the upstream one by custom.
class PcieSwitch final : public sc_core::sc_module {
 public:
  PcieSwitch(const sc_core::sc_module_name& name, Domain& domain, int ports, const device::SwitchConfig& config = {});
  ~PcieSwitch() override;
  PciePort& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  fabric::NodeId node() const { return node_; }

 private:
  fabric::NodeId node_;
  std::vector<std::unique_ptr<PciePort>> ports_;
};

/// The root complex: root ports, and `memory`, the way to host memory.
class RootComplex final : public sc_core::sc_module {
 public:
  RootComplex(const sc_core::sc_module_name& name, Domain& domain, int ports,
              const device::RootComplexConfig& config = {});
  ~RootComplex() override;
  PciePort& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  fabric::NodeId node() const { return node_; }
  /// What passes at each root port; none if nothing has to.
  const std::vector<std::unique_ptr<root_complex::RootPort>>& gates() const { return gates_; }
  /// What peers' writes pass, for each root port with something behind it; none without a limit.
  const std::vector<std::unique_ptr<root_complex::PeerWrites>>& peer_writes() const { return peer_writes_; }

 private:
  void before_end_of_elaboration() override;

  fabric::NodeId node_;
  std::vector<std::unique_ptr<PciePort>> ports_;
  std::vector<std::unique_ptr<root_complex::RootPort>> gates_;
  std::optional<device::PeerConfig> peers_;
  std::vector<std::unique_ptr<root_complex::PeerWrites>> peer_writes_;

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

  fabric::NodeId node() const { return node_; }
  /// Takes a piece of DRAM, on a 4 KiB boundary above 4 GiB.
  BusAddress reserve(Bytes size);
  /// What the host's cores ask of copy engines.
  host_cpu::CopyRequests& copies() { return *copies_; }
  /// Caches and sockets before it, or nullptr.
  const host_memory::MemoryGate* gate() const { return gate_.get(); }

 private:
  void before_end_of_elaboration() override;
  tlm::tlm_bw_transport_if<>& foreign_dram(const TargetOptions& options);
  std::string side_name() const;

  device::HostMemoryConfig config_;
  Domain& domain_;
  fabric::NodeId node_;
  BusAddress next_;
  std::unique_ptr<host_cpu::CopyRequests> copies_;
  std::unique_ptr<host_memory::MemoryGate> gate_;
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
  fabric::NodeId node() const { return node_; }
  const device::GpuConfig& config() const { return config_; }
  /// Bus address of the window to its memory, and of its copy doorbell.
  BusAddress memory() const { return memory_; }
  BusAddress doorbell() const { return doorbell_; }
  /// Maps a piece of its memory for peers; there has to be room in the window.
  BusAddress map(Bytes size);
  /// Takes requests to copy from the cores of this host too; it has to outlive the GPU. `HostCpu` sees to it.
  void serve(HostMemory& host);
  gpu::Bar1& bar1() { return *bar1_; }
  const gpu::Bar1& bar1() const { return *bar1_; }
  const gpu::Gpu& behaviour() const { return *behaviour_; }
  /// nullptr if peers may read as much at a time as they like.
  const gpu::PeerReads* peer_reads() const { return peer_reads_.get(); }

 private:
  device::GpuConfig config_;
  fabric::NodeId node_;
  BusAddress memory_, doorbell_;
  std::unique_ptr<gpu::Bar1> bar1_;
  std::unique_ptr<gpu::Gpu> behaviour_;
  std::unique_ptr<gpu::PeerReads> peer_reads_;

 public:
  PciePort pcie;
};

/// An Ethernet NIC with its rings in `host`. Feed its port 0 through Domain::feed or Domain::join; a HostCpu drives it.
class Nic final : public sc_core::sc_module {
 public:
  Nic(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host, const device::NicConfig& config = {});
  ~Nic() override;
  fabric::NodeId node() const { return node_; }
  DeviceIndex device() const { return device_; }
  const device::NicConfig& config() const { return config_; }
  BusAddress doorbells() const { return doorbells_; }
  const std::shared_ptr<nic::QueueMemory>& rings() { return rings_; }
  nic::Nic& behaviour() { return *behaviour_; }
  /// What translates for it, or nullptr.
  const ats::AtsFunction* translations() const { return ats_.get(); }
  ats::AtsFunction* translations() { return ats_.get(); }

 private:
  device::NicConfig config_;
  fabric::NodeId node_;
  BusAddress doorbells_;
  std::shared_ptr<nic::QueueMemory> rings_;
  std::unique_ptr<nic::Nic> behaviour_;
  std::unique_ptr<ats::AtsFunction> ats_;
  DeviceIndex device_;

 public:
  PciePort pcie;
};

/// The cores of a host with their drivers. Say which queues they serve before the end of elaboration.
class HostCpu final : public sc_core::sc_module {
 public:
  HostCpu(const sc_core::sc_module_name& name, Domain& domain, HostMemory& host,
          const device::HostCpuConfig& config = {});
  ~HostCpu() override;

  /// Buffers in the memory of a device.
  struct Buffers {
    fabric::NodeId node{};
    BusAddress address{};
  };

  /// Queues of a NIC whose frames the cores receive: payload goes straight to `to`, or with `bounce` to host memory,
  /// from there by a copy of the cores to pinned memory, and then by the GPU's copy engine. Without `to` it goes to
  /// `mapped`, or stays in host memory. `mapped` is where in the GPU's window their buffers are; if it is not given,
  /// they are mapped here.
  void receive(Nic& nic, const std::vector<int>& queues, Gpu* to, bool bounce = false,
               std::optional<Buffers> mapped = std::nullopt);

  /// A transmit queue that sends packets regularly, from GPU memory or, without `from`, from `mapped` or host memory.
  /// With `bounce` the GPU's copy engine brings them to pinned memory, a core copies them from there, and the NIC reads
  /// host memory.
  struct Send {
    int queue = 0;
    Gpu* from = nullptr;
    std::optional<Buffers> mapped{};  ///< where in the GPU's window; if it is not given, it is mapped here
    bool bounce = false;
    Bytes packet{4096};   ///< payload that the application hands over
    Bytes segment{};      ///< > 0: the NIC cuts it to this
    Duration interval{};  ///< between packets
    int burst = 1;
    int flows = 1;
  };
  void send(Nic& nic, const Send& send);
  /// Who is told of packets whose transmission has completed.
  void watch_sent(host_cpu::SentSink* sink) { sent_sink_ = sink; }

  /// After elaboration.
  host_cpu::HostCpu& behaviour() { return *behaviour_; }

 private:
  void before_end_of_elaboration() override;
  host_cpu::NicSetup& setup(Nic& nic);

  device::HostCpuConfig config_;
  Domain& domain_;
  HostMemory& host_;
  host_cpu::SentSink* sent_sink_ = nullptr;
  std::vector<host_cpu::NicSetup> nics_;
  std::unique_ptr<host_cpu::HostCpu> behaviour_;
};

/// A card that does DMA and nothing else. Without streams it is memory behind a BAR.
class DmaCard final : public sc_core::sc_module {
 public:
  DmaCard(const sc_core::sc_module_name& name, Domain& domain, const device::DmaCardConfig& config = {});
  ~DmaCard() override;
  fabric::NodeId node() const { return node_; }
  BusAddress memory() const { return memory_; }
  /// Transfers that it makes from the start on; before the end of elaboration. Returns the number of the stream.
  std::size_t add(const dma_card::Stream& stream);

 private:
  void before_end_of_elaboration() override;

  device::DmaCardConfig config_;
  Domain& domain_;
  fabric::NodeId node_;
  BusAddress memory_;
  std::vector<dma_card::Stream> streams_;
  std::unique_ptr<dma_card::DmaCard> behaviour_;

 public:
  PciePort pcie;
};

}  // namespace peerpath::sc
