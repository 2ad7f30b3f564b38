// The controller of an NVMe drive. The model card is README.md beside this.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "devices/nvme/cookie.hpp"
#include "devices/nvme/medium.hpp"
#include "devices/nvme/queue_pair.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::nvme {

/// BAR0. I/O queue q, from 1, has its doorbells at 1000h + 8 q and 4 behind that (CAP.DSTRD = 0; NVM Express over PCIe
/// Transport Specification 1.0, section 3.1.2).
inline constexpr Bytes register_bar_size{16 << 10};
constexpr std::uint64_t doorbell_offset(std::size_t queue, Work which) {
  return 0x1000 + 8 * (queue + 1) + (which == Work::completion_doorbell ? 4 : 0);
}
/// Queue pairs whose doorbells have room in BAR0.
inline constexpr int most_queues = 1024;

/// How the fabric is to simulate the drive. Data, completions and interrupts leave in one order.
fabric::Endpoint fabric_endpoint(const device::NvmeConfig& config);
inline constexpr fabric::ChannelIndex posted_channel{1}, data_channel{2}, fetch_channel{3};
inline constexpr int drive_channels = 3;

/// Since the start.
struct DriveCounters {
  std::int64_t fetches = 0, fetched = 0;  ///< reads of submission queues, and commands in them
  std::int64_t prp_lists = 0;
  std::int64_t reads = 0, writes = 0, failed = 0;  ///< commands completed; `failed`: of these in vain
  std::int64_t interrupts = 0;
  Bytes read{}, written{};  ///< data of commands that did not fail
};

/// Fetches commands when a doorbell is written, moves their data page by page, and completes them. Each queue pair is
/// shared with the `Submitter` that fills it.
class Drive final : public device::Endpoint {
 public:
  /// `host`: the node of the memory that holds the queues. The pairs must outlive the drive.
  Drive(const device::NvmeConfig& config, fabric::NodeId self, fabric::NodeId host, std::vector<QueuePair*> pairs);

  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const DriveCounters& counters() const { return counters_; }
  /// Commands taken and not completed.
  std::int64_t in_flight() const { return in_flight_; }
  /// Controller Fatal Status: it could not fetch a command, and does nothing any more.
  bool fatal() const { return fatal_; }
  const Medium& medium() const { return medium_; }

 private:
  /// A command in work.
  struct Active {
    Command command;
    Medium::Turn turn{};
    Bytes moved{};   ///< data on its way or there
    Bytes landed{};  ///< NVMe Write: data there
    bool failed = false;
  };
  struct Queue {
    QueuePair* pair;
    Ring submissions, completions;
    std::vector<Active> active;  ///< by command id
    int unannounced = 0;         ///< completions without an interrupt
    Instant interrupt_at = never;
  };
  enum class Step : std::uint8_t { data, keep, interrupt };
  /// Something to do at a time; of equal times in the order of planning.
  using Plan = std::tuple<Instant, std::uint64_t, Step, std::uint32_t, std::uint16_t>;

  void plan(Instant when, Step step, std::uint32_t queue, std::uint16_t command, device::Outbox& out);
  void fetch(std::uint32_t queue, Instant now, device::Outbox& out);
  void decode(std::uint32_t queue, const Command& command, Instant now, device::Outbox& out);
  void admit(Instant now, device::Outbox& out);
  void use_medium(std::uint32_t queue, Active& active, Instant now, device::Outbox& out);
  void begin(std::uint32_t queue, Active& active, Instant now, device::Outbox& out);
  void write_page(std::uint32_t queue, Active& active, Instant now, device::Outbox& out);
  void landed(std::uint32_t queue, Active& active, Bytes bytes, Instant now, device::Outbox& out);
  void complete(std::uint32_t queue, Active& active, Instant now, device::Outbox& out);
  void interrupt(std::uint32_t queue, Instant now, device::Outbox& out);
  void read(const Cookie& cookie, fabric::NodeId target, std::uint64_t address, Bytes size, Instant now,
            device::Outbox& out);
  void write(const Cookie& cookie, pcie::Purpose purpose, fabric::NodeId target, std::uint64_t address, Bytes size,
             bool notify, Instant now, device::Outbox& out);

  device::NvmeConfig config_;
  fabric::NodeId self_, host_;
  std::vector<Queue> queues_;
  Medium medium_;
  Bytes buffered_{};                                          ///< from the medium, and not arrived
  std::deque<std::pair<std::uint32_t, std::uint16_t>> full_;  ///< NVMe Reads that wait for room: queue and command
  std::priority_queue<Plan, std::vector<Plan>, std::greater<>> plans_;
  std::uint64_t planned_ = 0;
  std::int64_t in_flight_ = 0;
  bool fatal_ = false;
  DriveCounters counters_;
};

}  // namespace peerpath::nvme
