// An Ethernet NIC of a platform.
#pragma once

#include <memory>
#include <string>

#include "core/devices/ats/ats_function.hpp"
#include "core/devices/nic/nic.hpp"
#include "core/devices/nic/queue_memory.hpp"
#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

class HostMemory;

/// An Ethernet NIC with its rings in `host`. Feed its port 0 through Domain::feed or Domain::join; a HostCpu drives it.
class Nic {
 public:
  Nic(const std::string& name, Domain& domain, HostMemory& host, const device::NicConfig& config = {});
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;
  fabric::NodeId node() const { return node_; }
  DeviceIndex device() const { return device_; }
  const device::NicConfig& config() const { return config_; }
  BusAddress doorbells() const { return doorbells_; }
  const std::shared_ptr<nic::QueueMemory>& rings() { return rings_; }
  nic::Nic& behaviour() { return behaviour_; }
  /// What translates for it, or nullptr.
  const ats::AtsFunction* translations() const { return ats_.get(); }
  ats::AtsFunction* translations() { return ats_.get(); }

 private:
  device::NicConfig config_;
  fabric::NodeId node_;
  BusAddress doorbells_;
  std::shared_ptr<nic::QueueMemory> rings_;
  nic::Nic behaviour_;
  std::unique_ptr<ats::AtsFunction> ats_;
  DeviceIndex device_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
