// An Ethernet NIC of a platform.
#pragma once

#include <memory>
#include <string>

#include "devices/ats/ats_function.hpp"
#include "devices/nic/config.hpp"
#include "devices/nic/nic.hpp"
#include "devices/nic/queue_memory.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class HostMemory;
class Platform;

/// An Ethernet NIC with its rings in `host`. Feed its port 0 through Domain::feed or Domain::join; a HostCpu drives it.
class Nic final : public Device {
 public:
  Nic(const std::string& name, Domain& domain, HostMemory& host, const device::NicConfig& config = {});
  DeviceIndex device() const { return device_; }
  const device::NicConfig& config() const { return config_; }
  BusAddress doorbells() const { return doorbells_; }
  const std::shared_ptr<nic::QueueMemory>& rings() { return rings_; }
  nic::Nic& behaviour() { return behaviour_; }
  /// What translates for it, or nullptr.
  ats::AtsFunction* translations() { return ats_.get(); }
  Port& take_port(bool) override { return pcie; }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  struct Counted {
    nic::NicCounters nic;
    Duration receiving{}, sending{};  ///< of the packet pipelines
    ats::AtsCounters translations;
  };

 private:
  device::NicConfig config_;
  BusAddress doorbells_;
  std::shared_ptr<nic::QueueMemory> rings_;
  nic::Nic behaviour_;
  std::unique_ptr<ats::AtsFunction> ats_;
  DeviceIndex device_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
