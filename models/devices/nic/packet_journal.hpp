// Where each received packet is: from the last bit on the wire to the moment that the application has it.
#pragma once

#include <vector>

#include "devices/nic/counters.hpp"
#include "devices/nic/rings.hpp"

namespace peerpath::nic {

/// A received packet, complete.
struct PacketRecord {
  std::uint64_t handle = 0;  ///< the frame's
  QueueIndex queue{};
  Bytes payload{};
  Bytes frame{};  ///< without FCS
  std::uint32_t rss_hash = 0;
  Instant wire{};         ///< last bit came in
  Instant memory{};       ///< its last byte was taken in by the memory that the NIC wrote to
  bool lost = false;      ///< a write of it did not end in success: nobody took the data
  bool spoilt = false;    ///< bounced: the GPU read ones in every bit in place of some of it
  Instant application{};  ///< the application can use it; never before `memory`
  Instant parsed{};       ///< its first DMA write could start, but for buffers
  Instant started{};      ///< it could, with them
  Instant visible{};      ///< its completion had arrived in host memory
  Instant interrupt{};    ///< the latest interrupt of its queue, when the driver took its completion
};

/// Hears of every packet once. The order is that of computation, not of time.
class PacketSink {
 public:
  virtual ~PacketSink() = default;
  virtual void on_packet(const PacketRecord& packet) = 0;
  /// A frame whose last bit came in at `wire` was not received, nor was its payload.
  virtual void on_drop(std::uint64_t /*handle*/, Drop /*why*/, Instant /*wire*/, Bytes /*payload*/) {}
};

/// The packets between NIC and application. The NIC opens a row, the fabric's deliveries and the driver fill it, and
/// when both are through the sink has it. In reality nobody keeps such a list: it is how the model measures.
class PacketJournal {
 public:
  void set_sink(PacketSink* sink) { sink_ = sink; }

  /// A packet that takes `writes` DMA writes.
  PacketIndex open(const PacketRecord& packet, int writes);

  /// One of its writes arrives at `done`.
  void written(PacketIndex index, Instant done, bool success = true);

  void started(PacketIndex index, Instant parsed, Instant when) {
    auto& record = rows_[index.value()].record;
    record.parsed = parsed;
    record.started = when;
  }
  /// The driver has taken its completion.
  void taken(PacketIndex index, Instant visible, Instant interrupt) {
    auto& record = rows_[index.value()].record;
    record.visible = visible;
    record.interrupt = interrupt;
  }

  /// What the driver hands to the application is not what came.
  void spoil(PacketIndex index) { rows_[index.value()].record.spoilt = true; }

  /// The driver has handed it to the application.
  void consumed(PacketIndex index, Instant when);

  /// A frame got no row: it was dropped.
  void dropped(std::uint64_t handle, Drop why, Instant wire, Bytes payload) {
    if (sink_ != nullptr) sink_->on_drop(handle, why, wire, payload);
  }

  /// Forgets the packets that are under way.
  void clear() {
    rows_.clear();
    free_.clear();
    in_flight_ = 0;
  }

  const PacketRecord& at(PacketIndex index) const { return rows_[index.value()].record; }
  std::int64_t in_flight() const { return in_flight_; }
  /// Packets whose completion was handled before their data had arrived: completion and data go to different memories,
  /// and PCIe orders only what takes the same way.
  std::int64_t overtaken() const { return overtaken_; }

 private:
  struct Row {
    PacketRecord record;
    int writes = 0;
    bool consumed = false;
  };
  void finish(PacketIndex index);

  PacketSink* sink_ = nullptr;
  std::vector<Row> rows_;
  std::vector<PacketIndex> free_;
  std::int64_t in_flight_ = 0;
  std::int64_t overtaken_ = 0;
};

}  // namespace peerpath::nic
