// A whole emulated NIC: gve's registers in front of the datapath, with bytes that move.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "devices/nic/coalescer.hpp"
#include "devices/nic/datapath.hpp"
#include "devices/nic/gve_receive.hpp"
#include "devices/nic/gve_registers.hpp"
#include "devices/nic/gve_transmit.hpp"

namespace peerpath::nic::gve {

/// What a shell needs to know beyond what a guest can ask.
struct Statistics {
  NicCounters datapath;
  std::int64_t dma_errors = 0;                           ///< accesses of the NIC that failed
  std::int64_t bad_checksums = 0;                        ///< received TCP or UDP
  std::int64_t bad_doorbells = 0, refused_commands = 0;  ///< of the registers
  std::int64_t too_long = 0;                             ///< received frames beyond the largest MTU
  std::int64_t coalesced = 0;                            ///< frames made of several
  std::int64_t lost_reentrant = 0;  ///< frames that came in while the NIC was at work, beyond what it queues
};

/// Runs the datapath to completion whenever it is given work: its transactions are carried out at once, in order, and
/// its timers expire at once. So it is functional, not timed; the datapath's own clock only orders things. Doorbells of
/// queues note their value and do nothing until `run`, because an emulator forbids DMA from within a register access.
class Nic final : private GuestMemory, private Backend, private device::Outbox {
 public:
  Nic(const Offer& offer, Host& host);
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// The datapath's configuration: the model's, with all delays taken out.
  static device::NicConfig functional(const Offer& offer);
  /// From now on every transaction that the datapath asks for is appended to `log`; nullptr: no longer.
  void record(std::vector<fabric::Transaction>* log) { log_ = log; }

  Registers& registers() { return registers_; }
  /// Doorbells, or frames that came in while the NIC was at work, wait for `run`.
  bool wants_run() const { return !rung_.empty() || !queued_.empty(); }
  /// Does what waits, at least a piece of it and on for as long as the host says.
  void run();
  /// Lets go what receive coalescing holds, as `run` does; for the rest it asks for another flush.
  void flush();
  /// It is in the middle of something, and called by whom it has called.
  bool busy() const { return busy_; }
  /// An exception has left it in the middle of something: it is reset, and asks the driver for a reset of its own.
  void fail();
  /// A frame from the wire, without FCS.
  void receive(std::span<const std::uint8_t> frame);
  void set_link(bool up);
  /// As after power on.
  void reset();
  Statistics statistics() const;

 private:
  static constexpr std::size_t most_queued = 256, most_rung = 1024;
  struct Vector {
    bool enabled = false, pending = false;
  };
  struct Pair {
    bool rx = false, tx = false, coalesce = false;
    std::uint32_t rx_vector = 0, tx_vector = 0;
  };
  /// A doorbell that waits for `run`.
  struct Rung {
    QueueIndex queue{};
    bool transmit = false;
    std::uint32_t tail = 0;
    bool same_queue(const Rung& other) const { return queue == other.queue && transmit == other.transmit; }
  };

  bool read(std::uint64_t address, std::span<std::uint8_t> into) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override;

  void create_rx(const RxQueueConfig& config) override;
  void create_tx(const TxQueueConfig& config) override;
  void destroy_rx(QueueIndex queue) override;
  void destroy_tx(QueueIndex queue) override;
  Steering& steering() override { return datapath_.steering(); }
  RxDrops rx_drops(QueueIndex queue) override { return receive_.drops(queue); }
  bool link_up() override { return datapath_.link_up(); }
  void rx_tail(QueueIndex queue, std::uint32_t tail) override;
  void tx_tail(QueueIndex queue, std::uint32_t tail) override;
  void vector_doorbell(std::uint32_t vector, std::uint32_t value) override;

  void submit(fabric::ChannelIndex, const fabric::Transaction& t) override {
    transactions_.push_back(t);
    if (log_ != nullptr) log_->push_back(t);
  }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId timer, Instant when) override;
  void transmit(int port, const device::Frame& frame, Instant when) override;

  void step();
  void frame(std::span<const std::uint8_t> bytes);
  void deliver(std::span<const std::uint8_t> bytes, const RxOffload& offload);
  void ring(const Rung& rung);
  void forget(const Rung& rung);
  void answer(const Rung& rung);
  void settle();
  void perform(const fabric::Transaction& t);
  void fire(std::uint32_t vector);

  Offer offer_;
  Host& host_;
  QueueMemory memory_;
  Receive receive_;
  Transmit transmit_;
  Datapath datapath_;
  Registers registers_;
  std::vector<Pair> pairs_;
  std::vector<Vector> vectors_;
  std::deque<fabric::Transaction> transactions_;
  std::map<device::TimerId, Instant> timers_;
  Coalescer coalescer_;
  std::deque<std::vector<std::uint8_t>> queued_;  ///< frames that came in while at work
  std::vector<fabric::Transaction>* log_ = nullptr;
  Instant now_{};
  std::deque<Rung> rung_;  ///< in order: a sender that changes its queue keeps the order of its packets
  bool busy_ = false;
  std::int64_t bad_checksums_ = 0, lost_reentrant_ = 0, too_long_ = 0, coalesced_ = 0;
};

}  // namespace peerpath::nic::gve
