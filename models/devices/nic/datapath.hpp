// The behaviour of a NIC between Ethernet, PCIe and its driver, without registers: parse, hash, steer, split, segment,
// rings. A register personality or the model's driver stand-in sits on top of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/nic/rx_queue.hpp"
#include "devices/nic/segment_merger.hpp"
#include "devices/nic/steering.hpp"
#include "devices/nic/transmitter.hpp"

namespace peerpath::nic {

/// The whole datapath. See README.md for what is modelled and what is left out.
class Datapath {
 public:
  /// `memory` outlives it and has as many queues and entries as the configuration says.
  Datapath(const device::NicConfig& config, QueueMemory& memory);
  Datapath(const Datapath&) = delete;
  Datapath& operator=(const Datapath&) = delete;

  /// The last bit of a frame has come in.
  void on_frame(const device::Frame& frame, Instant now, device::Outbox& out);
  /// A doorbell write has arrived.
  void doorbell(QueueIndex queue, Doorbell doorbell, std::uint32_t value, Instant now, device::Outbox& out);
  /// A read of the NIC has ended.
  void read_completed(const fabric::Delivery& delivery, device::Outbox& out);
  /// The fabric has computed when a write of the NIC arrives, which may be later than now.
  void write_computed(const fabric::Delivery& delivery);
  /// Likewise when a frame's last write leaves the NIC: its space in the FIFO is free from then on.
  void frame_sent_computed(const fabric::Delivery& delivery);
  /// A write of completions has left the NIC.
  void completions_sent(const fabric::Delivery& delivery, device::Outbox& out);
  void on_timer(device::TimerId timer, Instant now, device::Outbox& out);

  /// The configuration path. A stopped queue does no DMA and drops what is steered to it.
  void stop_rx(QueueIndex queue, Instant now);
  void start_rx(QueueIndex queue) { rx_[queue.value()].start(); }
  void stop_tx(QueueIndex queue) { transmitter_.give_back(tx_[queue.value()].stop()); }
  void start_tx(QueueIndex queue) { tx_[queue.value()].start(); }
  void set_link(bool up) { link_up_ = up; }
  /// Stops all queues, forgets rules, table and key, and all that is under way: for whom nothing of it arrives any
  /// more.
  void reset(Instant now);

  Steering& steering() { return steering_; }
  bool link_up() const { return link_up_; }
  const NicCounters& counters() const { return nic_.counters; }
  Duration wire_busy(Instant now) const { return transmitter_.wire_busy(now); }
  Bytes fifo_held(Instant now) { return nic_.fifo.held(now); }
  const PacketPipeline& receiving() const { return nic_.receiving; }
  const PacketPipeline& sending() const { return nic_.sending; }

 private:
  void drop(Drop why, const device::Frame& frame, Bytes payload, Instant now);
  void coalesce(const RxFrame& frame, const net::ParsedFrame& parsed, Bytes most, Instant now, device::Outbox& out);

  Context nic_;
  Steering steering_;
  std::vector<RxQueue> rx_;
  std::vector<TxQueue> tx_;
  Transmitter transmitter_;
  std::optional<SegmentMerger> merger_;  ///< only if it coalesces
  bool link_up_ = true;
};

}  // namespace peerpath::nic
