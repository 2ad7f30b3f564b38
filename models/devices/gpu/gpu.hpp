// A GPU as its PCIe neighbours see it: memory behind a BAR, and copy engines. The model card is README.md beside this.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/pcie/function_registers.hpp"
#include "devices/gpu/config.hpp"
#include "devices/host_cpu/copy_request.hpp"
#include "peerpath/base/address.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::gpu {

inline constexpr int register_bar = 0;  ///< doorbells
inline constexpr int memory_bar = 2;    ///< the aperture to memory
inline constexpr Bytes register_bar_size{16 << 20};

/// The part of GPU memory that peers reach, and where on the bus: the only place where the two address spaces meet.
class Aperture {
 public:
  Aperture(BusAddress base, Bytes size) : base_{base}, size_{size} {}
  /// Bus address of a byte of GPU memory, nothing if the BAR is too small to show it.
  std::optional<BusAddress> to_bus(GpuAddress address) const;
  std::optional<GpuAddress> to_gpu(BusAddress address) const;

 private:
  BusAddress base_;
  Bytes size_;
};

/// How the fabric is to simulate a GPU's memory and functions: the rates of peer writes and reads, the latency of peer
/// reads, and one channel a copy engine.
fabric::Endpoint fabric_endpoint(const device::GpuConfig& config);

/// Its function as software finds it, with both BARs.
pcie::FunctionIdentity identity(const device::GpuConfig& config, pcie::LinkShape link);

/// How a copy engine reads and writes host memory.
struct CopyEngineShape {
  Bytes chunk{4096};     ///< one transaction; cut at multiples of it in host memory
  int outstanding = 16;  ///< chunks in flight, of one engine
};

/// What the copy engines did.
struct CopyCounters {
  std::int64_t copies = 0;  ///< completed, failed ones included
  std::int64_t failed = 0;  ///< a read or write did not end in success
  Bytes bytes{};            ///< moved by completed copies, either way
};

/// The active part of a GPU. A doorbell (posted write with Purpose::doorbell; its cookie is the handle of a request)
/// starts a copy: `copy_setup` later an engine reads host memory, chunk by chunk, and when the last data is in it
/// writes the completion; or it writes host memory likewise, and the completion right behind. An engine takes its
/// copies of both directions in order, and starts the next while the last chunks of the one before are in flight; if
/// that goes the other way, when they are not any more. A new copy goes to an engine that is not at work the other way
/// if there is one, of these to the one with the fewest bytes left to ask for, the first of several. Attach it with
/// `hears_arrivals`: so it knows how many of its writes are in flight.
class Gpu final : public device::Endpoint {
 public:
  explicit Gpu(const device::GpuConfig& config, CopyEngineShape shape = {});

  /// Doorbells that the cores at `host` ring are about this table, which must outlive the GPU. Nobody else may ring
  /// one.
  void serve(fabric::NodeId host, host_cpu::CopyRequests& requests) { requests_[host] = &requests; }

  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const CopyCounters& counters() const { return counters_; }
  /// For how long reads or writes were in flight, summed over the engines, until `now`, which is the present.
  Duration busy_until(Instant now) const;
  /// Copies that are asked for and not done.
  std::size_t pending() const { return copies_.size(); }

 private:
  struct Copy {
    host_cpu::CopyRequests* asked = nullptr;
    host_cpu::CopyRequest request;
    std::uint64_t handle = 0;
    Instant start{};  ///< of the first chunk, at the earliest
    Bytes issued{};
    int in_flight = 0;
    bool failed = false;
  };
  struct CopyEngine {
    std::deque<std::uint64_t> queue;  ///< tickets of copies with chunks still to issue
    Bytes left{};
    int in_flight = 0;
    Instant busy_since{};
    host_cpu::CopyDirection moving{};  ///< the chunks in flight
    host_cpu::CopyDirection newest{};  ///< the last copy that it was given
  };

  void ring(const fabric::Delivery& doorbell, device::Outbox& out);
  void issue(std::size_t engine, Instant now, device::Outbox& out);
  /// A chunk has been read or has arrived.
  void moved(const fabric::Delivery& delivery, device::Outbox& out);
  void write_completion(const Copy& copy, std::size_t engine, Instant now, device::Outbox& out);
  void count(std::uint64_t ticket);

  Duration setup_;
  std::map<fabric::NodeId, host_cpu::CopyRequests*> requests_;  ///< by host
  CopyEngineShape shape_;
  std::vector<CopyEngine> engines_;
  std::map<std::uint64_t, Copy> copies_;  ///< by ticket, the cookie of their chunks
  std::uint64_t tickets_ = 0;
  CopyCounters counters_;
  Duration busy_{};  ///< until an engine last had nothing in flight
};

}  // namespace peerpath::gpu
