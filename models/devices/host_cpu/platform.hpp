// The cores of a host of a platform.
#pragma once

#include <optional>
#include <vector>

#include "devices/host_cpu/config.hpp"
#include "devices/host_cpu/host_cpu.hpp"
#include "peerpath/device/send.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class Gpu;
class HostMemory;
class Nic;
class Platform;

using device::Buffers;
using Send = device::SendFrom<Gpu>;

/// The cores of a host with their drivers. Say which queues they serve before the domain is complete.
class HostCpu final : public Device {
 public:
  HostCpu(Domain& domain, HostMemory& host, const device::HostCpuConfig& config = {});
  const HostMemory& host() const { return host_; }

  /// Queues of a NIC whose frames the cores receive: payload goes straight to `to`, or with `bounce` to host memory,
  /// from there by a copy of the cores to pinned memory, and then by the GPU's copy engine. Without `to` it goes to
  /// `mapped`, or stays in host memory. `mapped` is where in the GPU's window their buffers are; if it is not given,
  /// they are mapped here.
  /// Without `by_core` the NIC writes to pinned memory itself, and no core copies.
  void receive(Nic& nic, const std::vector<int>& queues, Gpu* to, bool bounce = false,
               std::optional<Buffers> mapped = std::nullopt, bool by_core = true);
  void send(Nic& nic, const Send& send);
  /// Who is told of packets whose transmission has completed.
  void watch_sent(host_cpu::SentSink* sink) { sent_sink_ = sink; }

  /// When the domain is complete.
  host_cpu::HostCpu& behaviour() { return *behaviour_; }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  struct Counted {
    host_cpu::CpuCounters counters;
    std::vector<Duration> busy;  ///< by core
  };

 private:
  void complete();
  host_cpu::NicSetup& setup(Nic& nic);

  device::HostCpuConfig config_;
  Domain& domain_;
  HostMemory& host_;
  host_cpu::SentSink* sent_sink_ = nullptr;
  std::vector<host_cpu::NicSetup> nics_;
  std::optional<host_cpu::HostCpu> behaviour_;
};

}  // namespace peerpath::platform
