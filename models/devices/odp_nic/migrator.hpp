// The GPU's side: a copy engine that moves pages, and a kernel that stores into them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "devices/odp_nic/config.hpp"
#include "devices/odp_nic/cookie.hpp"
#include "devices/odp_nic/region.hpp"
#include "peerpath/base/random.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::odp {

/// Since the start.
struct MigratorCounters {
  Bytes to_host{}, to_vram{};  ///< moved
  std::int64_t touches = 0;    ///< stores of the kernel
  std::int64_t faults = 0;     ///< of the kernel: its page was in host memory
};

/// Moves one page of its buffer at a time, in chunks of 4 KiB of which 16 are in flight, as the GPU's other copies do.
/// A page that leaves is out of the GPU's page table before its first byte is read; one that comes is in it after its
/// last. Attach it with `hears_arrivals`: so it knows when a page is whole.
class Migrator final : public device::Endpoint {
 public:
  /// `setup`: from a command to the first request of the copy.
  Migrator(const device::OdpNicConfig& config, std::uint8_t number, Region& region, Duration setup, Random random);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const MigratorCounters& counters() const { return counters_; }

 private:
  struct Copy {
    Page page = 0;
    bool to_host = false;
    bool failed = false;
    Bytes asked{}, moved{};
    private_pages::Content content{};
  };

  void begin(const Cookie& command, Instant now, device::Outbox& out);
  void ask(Instant now, device::Outbox& out);
  void moved(const fabric::Delivery& delivery, device::Outbox& out);
  void finish(Instant now, device::Outbox& out);
  void touch(Page page, Instant now, device::Outbox& out);
  void tell(Work work, bool flag, Page page, bool interrupt, Instant now, device::Outbox& out);

  device::OdpNicConfig config_;
  std::uint8_t number_;
  Region& region_;
  Duration setup_;
  Random random_;
  std::optional<Copy> copy_;
  Instant pace_{};  ///< before which the next chunk is not asked for
  std::vector<bool> resident_, touched_;
  MigratorCounters counters_;
};

}  // namespace peerpath::odp
