// The NIC's side: queue pairs, translations and page faults. The model card is README.md beside this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "devices/odp_nic/config.hpp"
#include "devices/odp_nic/cookie.hpp"
#include "devices/odp_nic/queue_pair.hpp"
#include "devices/odp_nic/region.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::odp {

/// What a packet of RoCEv2 has on the wire beside payload: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS
/// 4, gap 12. RETH and AETH are left out.
inline constexpr Bytes packet_overhead{82};
inline constexpr Bytes register_bar_size{16 << 10};
inline constexpr fabric::ChannelIndex posted_channel{1}, read_channel{2};
inline constexpr int nic_channels = 2;

/// How the fabric is to simulate the NIC. What it posts leaves in one order.
fabric::Endpoint fabric_endpoint(const device::OdpNicConfig& config);

/// Since the start.
struct NicCounters {
  std::int64_t messages = 0, failed = 0;  ///< that ended; `failed`: of these in vain
  std::int64_t faults = 0, rnr_naks = 0;
  std::int64_t invalidations_in_flight = 0;  ///< that had to wait for DMA
  std::int64_t stale_reads = 0;              ///< packets read from a copy that does not count
  Bytes to_host{}, to_peer{};                ///< payload that moved, by where the page was
  Duration fault_time{};                     ///< from a fault to its translation, summed
  std::int64_t served = 0;                   ///< faults in it
};

/// Each registered buffer has one queue pair. A write (of the peer, by RDMA) to a page without translation is answered
/// with RNR NAK; a read (for what is sent) stalls the queue pair. Attach it with `hears_arrivals`.
class Nic final : public device::Endpoint {
 public:
  /// The regions must outlive the NIC; each has the stream of its number.
  Nic(const device::OdpNicConfig& config, fabric::NodeId self, std::vector<Region*> regions,
      std::vector<Stream> streams);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;

  const NicCounters& counters() const { return counters_; }
  /// For how long queue pairs have waited for their peers' RNR timers until `now`, summed over them.
  Duration waited_until(Instant now) const;
  std::size_t queue_pairs() const { return queues_.size(); }
  /// When the first payload was there, of all entries; nothing if none was.
  std::optional<Instant> first_byte() const { return first_byte_; }
  /// What stands in all pages against what the messages wanted, those under way by what has arrived of them.
  private_pages::Verdict verdict() const;

 private:
  struct Access {
    std::uint64_t message = 0;
    Packet packet{};
    Bytes begin{};  ///< in the message
    Place place{};
  };
  struct Queue {
    Region* region = nullptr;
    QueuePair pair;
    private_pages::Translations translations;
    std::vector<std::optional<Instant>> reported;  ///< by page: when the fault was
    Duration waited{};                             ///< for the RNR timer, without the present wait
    Instant waits_since{};
  };

  void command(const Cookie& cookie, Instant now, device::Outbox& out);
  void served(std::uint8_t number, Page page, bool installed, Instant now, device::Outbox& out);
  void moved(const fabric::Delivery& delivery, const Cookie& cookie, device::Outbox& out);
  void finish(Queue& queue, const Message& message, Instant now);
  void go_on(std::uint8_t number, Instant now, device::Outbox& out);
  bool send(std::uint8_t number, Message& message, Instant now, device::Outbox& out);
  void fault(std::uint8_t number, Page page, Instant now, device::Outbox& out);
  void fail(Queue& queue, Instant now);
  void tell(const Queue& queue, const Cookie& cookie, bool interrupt, Instant now, device::Outbox& out);

  device::OdpNicConfig config_;
  fabric::NodeId self_;
  std::vector<Queue> queues_;
  std::map<std::uint32_t, Access> accesses_;  ///< in flight, by number
  std::uint32_t next_access_ = 0;
  Instant wire_free_{};
  Bytes buffered_{};
  std::optional<Instant> first_byte_{};
  NicCounters counters_;
};

}  // namespace peerpath::odp
