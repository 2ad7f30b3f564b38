// An RDMA NIC with on-demand paging of a platform, and who serves its faults.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/odp_nic/config.hpp"
#include "devices/odp_nic/driver.hpp"
#include "devices/odp_nic/migrator.hpp"
#include "devices/odp_nic/nic.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class HostMemory;
class Platform;

/// The NIC, the driver at host memory, and a copy engine at the GPU of each traffic entry, which is a registered buffer
/// with a queue pair.
class OdpNic final : public Device {
 public:
  OdpNic(const std::string& name, Platform& platform, HostMemory& host, const device::OdpNicConfig& config,
         const scenario::Scenario& scenario);
  Port& take_port(bool) override { return pcie; }
  std::optional<std::size_t> start(const Transfer& transfer) override;
  std::size_t stream_of(const fabric::Delivery& d) const override { return odp::Cookie::unpack(d.cookie).region; }
  bool tells_of_transfers() const override { return true; }
  bool lands_elsewhere() const override { return true; }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  struct Counted {
    odp::NicCounters nic;
    Duration waited{};  ///< for RNR timers, summed over queue pairs
    odp::DriverCounters driver;
    odp::MigratorCounters copies;
    private_pages::Verdict verdict;
  };

 private:
  void complete();

  std::string name_;
  Platform& platform_;
  HostMemory& host_;
  device::OdpNicConfig config_;
  const scenario::Scenario& scenario_;
  BusAddress registers_;
  std::vector<std::unique_ptr<odp::Region>> regions_;
  std::vector<odp::Stream> streams_;
  std::vector<std::string> gpus_;  ///< by region
  std::optional<odp::Nic> nic_;
  std::optional<odp::Driver> driver_;
  std::vector<std::unique_ptr<odp::Migrator>> migrators_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
