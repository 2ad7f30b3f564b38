// The GPU's driver and the kernel: they serve page faults of NIC and GPU, one after the other. They run at host memory.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "devices/odp_nic/config.hpp"
#include "devices/odp_nic/cookie.hpp"
#include "devices/odp_nic/region.hpp"
#include "devices/private_pages/page_table.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::odp {

/// Whether p2pdma lets the NIC at the GPU's window, from a time on.
struct Reach {
  Instant from{};
  bool possible = true;
};

/// Since the start.
struct DriverCounters {
  private_pages::TableCounters pages;
  Duration busy{};  ///< with faults and evictions, what it waits for included
};

/// What comes is served in its order, by one thread. Software takes the latencies of the configuration; what it says to
/// NIC and copy engine are posted writes of 64 B, and their answers come by the fabric.
class Driver final : public device::Endpoint {
 public:
  /// `reach`, by region and in order of time; asked at each fault.
  Driver(const device::OdpNicConfig& config, fabric::NodeId nic, std::uint64_t nic_registers,
         std::vector<Region*> regions, std::vector<std::vector<Reach>> reach, Random random);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  DriverCounters counters_until(Instant now) const;
  const private_pages::PageTable& table(std::size_t region) const { return tables_[region]; }

 private:
  struct Job {
    enum class What : std::uint8_t { fault, touch, evict };
    What what{};
    std::uint8_t region = 0;
    Page page = 0;
  };

  void accept(const Job& job, Instant now, device::Outbox& out);
  void begin(Instant now, device::Outbox& out);
  void act(private_pages::Action action, Instant now, device::Outbox& out);
  void wait(Duration time, Instant now, device::Outbox& out);
  void say(const private_pages::Action& action, Instant now, device::Outbox& out);
  bool reachable(std::size_t region, Instant now) const;

  device::OdpNicConfig config_;
  fabric::NodeId nic_;
  std::uint64_t nic_registers_;
  std::vector<Region*> regions_;
  std::vector<std::vector<Reach>> reach_;
  std::vector<private_pages::PageTable> tables_;
  Random random_;
  std::deque<Job> jobs_;                         ///< the first one is under way
  std::optional<private_pages::Action> action_;  ///< that it waits for, or its software works at
  Instant busy_since_{};
  Duration busy_{};
};

}  // namespace peerpath::odp
