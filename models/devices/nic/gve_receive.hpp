// The bytes of received frames on their way into the guest's memory.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "devices/nic/buffer_pool.hpp"
#include "devices/nic/cookie.hpp"
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/gve_device.hpp"
#include "devices/nic/gve_issuer.hpp"
#include "devices/nic/queue_memory.hpp"
#include "devices/nic/sent_before.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::nic::gve {

/// Gives the datapath's transactions their bytes: it names frames by handle and bytes by length. A frame is copied only
/// if it has to wait for buffers.
class Receive final : public PacketSink {
 public:
  Receive(const Offer& offer, Issuer& issuer, QueueMemory& memory);

  void create(const RxQueueConfig& config);
  /// The queue has stopped: its frames get no completions any more.
  void destroy(QueueIndex queue, Instant now);
  /// The doorbell's tail, modulo the ring, as the free-running index that the datapath counts with.
  std::uint32_t producer(QueueIndex queue, std::uint32_t tail);

  /// Takes a frame in for the time of a call of the datapath, under a handle.
  std::uint64_t open(std::span<const std::uint8_t> bytes, const net::ParsedFrame& parsed, QueueIndex queue,
                     const RxOffload& offload);
  /// The call is over: if the frame still waits, its bytes are kept.
  void keep(std::uint64_t handle);
  /// Forgets all frames.
  void clear();

  /// Puts a transaction of the datapath under way, of a kind that concerns receiving.
  void submit(const Cookie& cookie, const fabric::Transaction& t, Instant now);
  /// Descriptors have been read, into a queue that is still there.
  void descriptors_read(const Continuation& then, std::span<const std::uint8_t> data);
  /// A write of a frame fails at `done`; to be told before the datapath is.
  void write_failed(const Continuation& then, Instant done);
  /// The transaction belongs to a queue that is still there.
  bool current(const Continuation& then) const { return queues_[then.queue.value()].life == then.life; }

  const RxDrops& drops(QueueIndex queue) const { return queues_[queue.value()].drops; }
  /// A frame was not good enough to be written, or came from nowhere.
  RxDrops& drops(QueueIndex queue) { return queues_[queue.value()].drops; }
  std::size_t waiting() const { return frames_.size() - free_.size(); }

  void on_packet(const PacketRecord& packet) override { close(packet.handle); }
  void on_drop(std::uint64_t handle, Drop why, Instant wire, Bytes payload) override;

 private:
  struct Frame {
    std::span<const std::uint8_t> bytes;
    BufferPool::Buffer kept;
    std::size_t at = 0;  ///< the datapath writes a frame from front to back
    net::ParsedFrame parsed;
    QueueIndex queue{};
    RxOffload offload;
    bool open = false;
    std::optional<PacketIndex> packet;  ///< once it is being written
    bool completed = false;             ///< its completion has left
    Instant failed = never;             ///< when a write of it failed: known to completions that leave later
    pcie::Purpose payload = pcie::Purpose::payload;
    bool noted = false;  ///< whether it was told to `before_`
  };
  struct Queue {
    std::uint32_t producer = 0, entries = 1;
    std::uint32_t life = 0;
    RxDrops drops;
  };
  void close(std::uint64_t handle);
  void write_data(const Continuation& then, const Cookie& cookie, const fabric::Transaction& t);
  void write_completions(const Continuation& then, const Cookie& cookie, const fabric::Transaction& t, Instant now);
  pcie::Purpose purpose_of(Frame& frame, const fabric::Transaction& t);

  Issuer& issuer_;
  QueueMemory& memory_;
  std::vector<Queue> queues_;
  BufferPool pool_;
  SentBefore before_;
  std::deque<Frame> frames_;  ///< a deque: references stay good while it grows
  std::vector<std::uint64_t> free_;
};

}  // namespace peerpath::nic::gve
