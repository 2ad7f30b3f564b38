// The NIC as a device of the model: the datapath behind the endpoint interface.
#pragma once

#include <memory>

#include "devices/nic/datapath.hpp"

namespace peerpath::nic {

/// An Ethernet NIC with one port (0), doorbells in a BAR, and rings that it shares with the driver stand-in.
class Nic final : public device::Endpoint {
 public:
  Nic(const device::NicConfig& config, std::shared_ptr<QueueMemory> memory, BusAddress doorbells);

  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_computed(const fabric::Delivery& delivery) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

  Datapath& datapath() { return datapath_; }
  const NicCounters& counters() const { return datapath_.counters(); }
  /// Size of the doorbell BAR.
  static Bytes doorbell_bar(const device::NicConfig& config);

 private:
  std::shared_ptr<QueueMemory> memory_;
  BusAddress doorbells_;
  Datapath datapath_;
};

}  // namespace peerpath::nic
