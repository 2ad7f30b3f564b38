// An NVMe drive of a platform.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/nvme/config.hpp"
#include "devices/nvme/drive.hpp"
#include "devices/nvme/submitter.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

class HostMemory;
class Platform;

/// An NVMe drive, and the software that submits commands to it. Each transfer of a traffic entry is a command; each
/// entry has a queue pair.
class Nvme final : public Device {
 public:
  Nvme(const std::string& name, Domain& domain, HostMemory& host, const device::NvmeConfig& config);
  Port& take_port(bool) override { return pcie; }
  std::optional<std::size_t> start(const Transfer& transfer) override;
  std::size_t stream_of(const fabric::Delivery& d) const override { return nvme::Cookie::unpack(d.cookie).queue; }
  bool tells_of_transfers() const override { return true; }
  std::any count(Instant now) override;
  void report(Report& report, const std::string& name, const std::any& before, const std::any& after) const override;

  struct Counted {
    nvme::DriveCounters drive;
    Duration medium{};  ///< busy
    WideInt depth = 0;  ///< commands in flight, summed over time
    std::int64_t doorbells = 0;
  };

 private:
  void complete();

  device::NvmeConfig config_;
  Domain& domain_;
  HostMemory& host_;
  BusAddress registers_;
  std::vector<std::unique_ptr<nvme::QueuePair>> pairs_;
  std::vector<nvme::Stream> streams_;
  std::optional<nvme::Drive> drive_;
  std::optional<nvme::Submitter> submitter_;

 public:
  Port pcie;
};

}  // namespace peerpath::platform
