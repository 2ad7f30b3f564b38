// The bytes of received frames on their way into the guest's memory.
#pragma once

#include <deque>
#include <vector>

#include "devices/nic/cookie.hpp"
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/gve_device.hpp"
#include "devices/nic/gve_host.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/sent_before.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::nic::gve {

/// Carries out what the datapath decides: it names frames by handle and bytes by length, here are the bytes. A frame is
/// copied only if it has to wait for buffers.
class Receive final : public PacketSink {
 public:
  Receive(const Offer& offer, Host& host, QueueMemory& memory);

  void create(const RxQueueConfig& config);
  /// The doorbell's tail, modulo the ring, as the free-running index that the datapath counts with.
  std::uint32_t producer(QueueIndex queue, std::uint32_t tail);

  /// Takes a frame in for the time of a call of the datapath, under a handle.
  std::uint64_t open(std::span<const std::uint8_t> bytes, const net::ParsedFrame& parsed, QueueIndex queue,
                     const RxOffload& offload);
  /// The call is over: if the frame still waits, its bytes are kept.
  void keep(std::uint64_t handle);
  /// Forgets all frames.
  void clear();

  pcie::Status read_descriptors(const Cookie& cookie, const fabric::Transaction& t);
  pcie::Status write_data(const Cookie& cookie, const fabric::Transaction& t);
  /// Returns the index behind the last completion.
  std::uint32_t write_completions(const Cookie& cookie, const fabric::Transaction& t, Instant now);

  const RxDrops& drops(QueueIndex queue) const { return queues_[queue.value()].drops; }
  /// A frame was not good enough to be written, or came from nowhere.
  RxDrops& drops(QueueIndex queue) { return queues_[queue.value()].drops; }
  std::int64_t dma_errors() const { return dma_errors_; }
  std::size_t waiting() const { return frames_.size() - free_.size(); }

  void on_packet(const PacketRecord& packet) override { close(packet.handle); }
  void on_drop(std::uint64_t handle, Drop why, Instant wire, Bytes payload) override;

 private:
  struct Frame {
    std::span<const std::uint8_t> bytes;
    std::vector<std::uint8_t> kept;
    std::size_t at = 0;  ///< the datapath writes a frame from front to back
    net::ParsedFrame parsed;
    QueueIndex queue{};
    RxOffload offload;
    bool open = false;
    pcie::Purpose payload = pcie::Purpose::payload;
    bool noted = false;  ///< whether it was told to `before_`
  };
  struct Queue {
    std::uint32_t producer = 0, entries = 1;
    RxDrops drops;
  };
  void close(std::uint64_t handle);
  pcie::Purpose purpose_of(Frame& frame, const fabric::Transaction& t);

  Host& host_;
  QueueMemory& memory_;
  std::vector<Queue> queues_;
  SentBefore before_;
  std::deque<Frame> frames_;  ///< a deque: references stay good while it grows
  std::vector<std::uint64_t> free_;
  std::int64_t dma_errors_ = 0;
};

}  // namespace peerpath::nic::gve
