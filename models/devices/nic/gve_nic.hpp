// A whole emulated NIC: gve's registers in front of the datapath, with bytes that move by transactions.
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

/// Issues transactions and goes on at their deliveries, as the model's NIC does and through the same datapath. A call
/// does a bounded piece of work: what a doorbell, a delivery, a timer or a frame makes possible. Nothing in it waits.
class Nic final : private GuestMemory, private Backend, private device::Outbox {
 public:
  Nic(const Offer& offer, Host& host);
  /// With a datapath that is configured otherwise, for instance timed.
  Nic(const Offer& offer, const device::NicConfig& config, Host& host);
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// The datapath's configuration: the model's, with all delays taken out.
  static device::NicConfig functional(const Offer& offer);
  /// From now on every transaction that the datapath asks for is appended to `log`; nullptr: no longer.
  void record(std::vector<fabric::Transaction>* log) { log_ = log; }

  /// Sets the time of all later calls, until the next call of this.
  void set_time(Instant now) { now_ = std::max(now_, now); }
  Registers& registers() { return registers_; }
  /// A transaction of this device has ended at `delivery.done`; with kind `sent`, it has left the device. `data` holds
  /// all bytes of a successful read. Transactions from before a `reset` are ignored.
  void on_delivery(const fabric::Delivery& delivery, std::span<const std::uint8_t> data = {});
  /// The same for an end that needs no reaction, as soon as it is known: a posted write will arrive or have left at
  /// `delivery.done`. May come from within `Host::submit`.
  void on_computed(const fabric::Delivery& delivery);
  /// The time given to `Host::wake_at` has come.
  void on_wake(Instant now);
  /// Delivers the segments of one flow that receive coalescing holds. True if it holds segments of others.
  bool flush();
  /// It is in the middle of something, and called by whom it has called.
  bool busy() const { return busy_; }
  /// An exception has left it in the middle of something: it is reset, and asks the driver for a reset of its own.
  void fail();
  /// A frame from the wire, without FCS.
  void receive(std::span<const std::uint8_t> frame);
  void set_link(bool up);
  /// As after power on.
  void reset();
  /// Transactions under way.
  std::size_t under_way() const { return issuer_.under_way(); }
  Statistics statistics() const;

 private:
  static constexpr std::size_t most_queued = 256;
  struct Vector {
    bool enabled = false, pending = false;
  };
  struct Pair {
    bool rx = false, tx = false, coalesce = false;
    std::uint32_t rx_vector = 0, tx_vector = 0;
  };
  void read(std::uint64_t address, std::size_t size) override;
  void write(std::uint64_t address, std::span<const std::uint8_t> from) override;

  void create_rx(const RxQueueConfig& config) override;
  void create_tx(const TxQueueConfig& config) override;
  void destroy_rx(QueueIndex queue) override;
  void destroy_tx(QueueIndex queue) override;
  void fence() override;
  bool fenced() const override { return issuer_.fenced() && fence_at_ <= now_; }
  Steering& steering() override { return datapath_.steering(); }
  RxDrops rx_drops(QueueIndex queue) override { return receive_.drops(queue); }
  bool link_up() override { return datapath_.link_up(); }
  void rx_tail(QueueIndex queue, std::uint32_t tail) override;
  void tx_tail(QueueIndex queue, std::uint32_t tail) override;
  void vector_doorbell(std::uint32_t vector, std::uint32_t value) override;

  void submit(fabric::ChannelIndex, const fabric::Transaction& t) override;
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId timer, Instant when) override;
  void transmit(int port, const device::Frame& frame, Instant when) override;

  void arrived(const Continuation& then, const fabric::Delivery& delivery);
  void goes_on(const Continuation& then, const fabric::Delivery& delivery, std::span<const std::uint8_t> data);
  void completions_sent(const Continuation& then, const fabric::Delivery& delivery);
  void descriptors_posted(QueueIndex queue);
  bool current(const Continuation& then) const;
  void frame(std::span<const std::uint8_t> bytes);
  void deliver(std::span<const std::uint8_t> bytes, const RxOffload& offload);
  void settle();
  void proceed();
  void ask();
  void fire(std::uint32_t vector);

  Offer offer_;
  Host& host_;
  Issuer issuer_;
  QueueMemory memory_;
  Receive receive_;
  Transmit transmit_;
  Datapath datapath_;
  Registers registers_;
  std::vector<Pair> pairs_;
  std::vector<Vector> vectors_;
  std::deque<fabric::Transaction> at_hand_;  ///< reads of the datapath whose data is here already
  std::map<device::TimerId, Instant> timers_;
  Coalescer coalescer_;
  std::deque<std::vector<std::uint8_t>> queued_;  ///< frames that came in while at work
  std::vector<fabric::Transaction>* log_ = nullptr;
  Instant now_{};
  Instant latest_{};       ///< arrival that it has heard of
  Instant fence_at_{};     ///< the latest of those before the fence
  bool fencing_ = false;   ///< the registers wait for the fence
  Instant asked_ = never;  ///< the time that the host was asked for
  bool busy_ = false;
  std::int64_t dma_errors_ = 0, bad_checksums_ = 0, lost_reentrant_ = 0, too_long_ = 0, coalesced_ = 0;
};

}  // namespace peerpath::nic::gve
