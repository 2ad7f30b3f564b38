// The cores of a host with the drivers that run on them, as a device of the model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/host_cpu/rx_driver.hpp"
#include "devices/host_cpu/tx_driver.hpp"

namespace peerpath::host_cpu {

/// Submits MMIO writes at the host's fabric endpoint and is told of interrupts and of the GPU's copy completions. Queue
/// i (all receive queues of all NICs first, then the transmit queues) belongs to core i modulo the number of cores.
class HostCpu final : public device::Endpoint {
 public:
  /// The table of copy requests is shared with the GPUs and outlives both.
  HostCpu(const device::HostCpuConfig& config, CopyRequests& copies, const std::vector<NicSetup>& nics);
  HostCpu(const HostCpu&) = delete;
  HostCpu& operator=(const HostCpu&) = delete;

  void set_sent_sink(SentSink* sink);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const CpuCounters& counters() const { return host_.counters; }
  const std::vector<Core>& cores() const { return cores_; }
  /// The core that handles the interrupts of a vector of a NIC; none if none does.
  std::optional<std::size_t> core_of_vector(fabric::NodeId nic, std::uint32_t vector) const;
  /// Payload that the driver of a transmit queue has taken and not seen complete.
  Bytes held(fabric::NodeId nic, nic::QueueIndex queue) const;
  /// Work done until `now`, summed over the cores.
  Duration busy_until(Instant now) const;

 private:
  /// Who sends the vectors of a NIC: its node, and the driver behind each vector.
  struct Source {
    fabric::NodeId node{};
    std::vector<int> by_vector;  ///< driver, -1: none
  };

  Core& core_of(std::size_t driver) { return cores_[driver % cores_.size()]; }
  device::TimerId core_timer(std::size_t driver) const {
    return device::TimerId{static_cast<std::uint16_t>(driver % cores_.size())};
  }
  void interrupt(const fabric::Delivery& delivery, device::Outbox& out);
  void copy_done(const fabric::Delivery& delivery, device::Outbox& out);
  void want_core(std::size_t driver, Instant now, device::Outbox& out);
  bool poll(std::size_t driver, Instant now, device::Outbox& out);
  void send(std::size_t tx, Instant now, device::Outbox& out);

  DriverContext host_;
  std::vector<Core> cores_;
  std::vector<RxDriver> rx_;
  std::vector<TxDriver> tx_;
  std::vector<Source> sources_;
};

}  // namespace peerpath::host_cpu
