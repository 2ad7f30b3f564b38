// Counts what traffic came to, within the measured window.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "devices/host_cpu/setup.hpp"
#include "devices/nic/packet_journal.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/device.hpp"

namespace peerpath::platform {

/// Hears of every frame, packet, transfer and delivery, in the order of computation, and counts those that end in
/// [begin, end); offers count by their own time.
class Meter final : public fabric::DeliverySink, public nic::PacketSink, public host_cpu::SentSink {
 public:
  /// `turns`: times from which on requests may be refused for other reasons, in order; failures are told apart by them.
  Meter(Instant begin, Instant end, std::vector<Instant> turns) : begin_{begin}, end_{end}, turns_{std::move(turns)} {}

  std::vector<observe::TrafficResult> traffic;  ///< by number of its entry

  /// Which entry a transmit queue works for.
  void map_queue(fabric::NodeId nic, nic::QueueIndex queue, std::size_t entry) { queues_[{nic, queue}] = entry; }
  /// A stream of transfers that a device makes by an engine of its own.
  void map_stream(const Device& device, std::size_t stream, std::size_t entry) {
    auto& streams = streams_[device.node()];
    streams.device = &device;
    streams.entries[stream] = entry;
  }

  /// A NIC whose packets are in this journal: so it is known whose payload its failed transactions move.
  void map_nic(fabric::NodeId nic, const nic::PacketJournal& journal) { nics_[nic] = &journal; }
  /// A source of transfers that has a channel of its own.
  void map_source(fabric::NodeId requester, fabric::ChannelIndex channel, std::size_t entry) {
    sources_[{requester, channel}] = entry;
  }

  void offer(std::size_t entry, Instant when, std::int64_t packets, Bytes payload);
  /// A frame of an Ethernet port that runs at `rate`.
  void frame(const device::FrameArrival& arrival, BitRate rate);
  void done(std::size_t entry, Instant begin, Instant end, Bytes payload);

  void deliver(const fabric::Delivery& delivery) override;
  void on_packet(const nic::PacketRecord& packet) override;
  void on_drop(std::uint64_t handle, nic::Drop why, Instant wire) override;
  void on_sent(const host_cpu::SentRecord& packet) override;

  /// Requests that did not end in success, by requester and status, with the time of the first: since the start, as
  /// what goes wrong before the measurement may be why nothing goes right in it.
  struct Failure {
    std::int64_t count = 0;
    Instant first = never;
  };
  using FailureKey = std::tuple<fabric::NodeId, pcie::Status, bool>;
  /// Posted requests that nobody answered stand apart: no timer runs for them, and nobody notices.
  const std::map<FailureKey, Failure>& failures() const { return failures_; }
  /// Transactions of one kind that failed in the same way.
  struct Failed {
    std::int64_t count = 0;
    fabric::Delivery first{};
    std::optional<std::size_t> entry{};  ///< whose payload `first` moves, if any
  };
  using FailedKey = std::tuple<fabric::NodeId, fabric::NodeId, pcie::Status, pcie::Operation, bool, std::ptrdiff_t>;
  /// By requester, target, status, operation, whether they were spoofed, and between which of the `turns` they ended.
  const std::map<FailedKey, Failed>& failed_transactions() const { return failed_; }
  /// When the first frame of an entry was dropped for this reason; `never` if none was.
  Instant first_drop(std::size_t entry, nic::Drop why) const;
  /// Packets of an entry that came to their end without their bytes: a part was lost, or read in vain.
  std::int64_t in_vain(std::size_t entry) const { return entry < in_vain_.size() ? in_vain_[entry] : 0; }
  /// When the last packet or transfer ended; the start if none did.
  Instant last() const { return last_; }
  /// How long the frames of an entry took the wire until `now`: preamble, FCS and gap included.
  Duration wire_busy(std::size_t entry, Instant now) const;

 private:
  std::optional<std::size_t> stream_entry(const fabric::Delivery& d) const;
  std::optional<std::size_t> entry_of(const fabric::Delivery& d) const;
  std::optional<std::size_t> nic_entry(const nic::PacketJournal& journal, const fabric::Delivery& d) const;
  void spoilt(std::size_t entry, Instant end, Bytes observe::TrafficResult::*bytes, Bytes payload);
  void ended_in_vain(std::size_t entry, Instant end);
  void failed(const fabric::Delivery& d);
  bool inside(Instant t) const { return t >= begin_ && t < end_; }

  Instant begin_, end_;
  std::vector<Instant> turns_;
  Instant last_ = begin_;
  std::map<std::pair<fabric::NodeId, nic::QueueIndex>, std::size_t> queues_;
  struct Streams {
    const Device* device = nullptr;
    std::map<std::size_t, std::size_t> entries;  ///< by stream
  };
  std::map<fabric::NodeId, Streams> streams_;
  std::map<fabric::NodeId, const nic::PacketJournal*> nics_;
  std::map<std::pair<fabric::NodeId, fabric::ChannelIndex>, std::size_t> sources_;
  struct Wire {
    Duration busy{};
    Bytes size{};  ///< of the frame before, and how long it takes: sizes repeat
    Duration to_last_bit{}, to_next{};
    /// From start to end: the latest frame, which may lie ahead, and the one before it, whose gap may.
    std::array<std::pair<Instant, Instant>, 2> latest{};
  };
  std::vector<Wire> wire_;             ///< by entry
  std::vector<std::int64_t> in_vain_;  ///< by entry
  std::map<std::pair<std::size_t, nic::Drop>, Instant> first_drops_;
  std::map<FailureKey, Failure> failures_;
  std::map<FailedKey, Failed> failed_;
};

}  // namespace peerpath::platform
