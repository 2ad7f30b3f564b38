// The devices of a domain and its fabric, driven from outside: which device acts next, and how far the fabric may
// compute. Whoever drives it brings the time: the plain loop (loop.hpp), or SystemC's event queue.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "loop/device_slot.hpp"
#include "loop/tlp_watch.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::loop {

/// Says for which of the topology's accounts the data of a transaction is counted.
class Accounts {
 public:
  virtual ~Accounts() = default;
  virtual std::uint16_t account_of(fabric::NodeId requester, fabric::ChannelIndex channel,
                                   const fabric::Transaction& transaction) = 0;
};

/// Order of things at one instant: scheduled actions first; then device by device as attached; for each its deliveries
/// (by kind, requester, channel, cookie, address, request), then frames (by port, then source), then timers (by
/// number). So results depend neither on who drives it, nor on the length of batches, nor on the order in which a
/// fabric happens to compute its deliveries.
class Reactor final : private fabric::DeliverySink {
 public:
  using Action = std::function<void(fabric::Fabric&)>;
  using MakeFabric = std::function<std::unique_ptr<fabric::Fabric>(fabric::DeliverySink&)>;

  Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// The device must outlive the reactor. All devices are attached before the start.
  DeviceIndex attach(device::Endpoint& device, Place place);
  DeviceSlot& slot(DeviceIndex device) { return *slots_[device.value()]; }
  void at(Instant when, Action action);
  void observe(fabric::DeliverySink* sink) { observer_ = sink; }
  /// Is asked about each transaction of payload.
  void keep(Accounts* accounts) { accounts_ = accounts; }

  /// Joins two Ethernet ports, both ways.
  void join(EthernetPort a, EthernetPort b, Wire wire);

  /// Makes the fabric. The reactions that endpoints promise are taken; with a foreign process in the domain nobody
  /// promises anything, as it may react to whatever it sees.
  void prepare(const fabric::Topology& topology, fabric::Mode mode, bool foreign);
  /// Takes another fabric; nobody promises anything.
  void prepare(const MakeFabric& make);
  /// Starts all devices; a second call does nothing.
  void start();

  fabric::Fabric& fabric() { return *fabric_; }
  /// Nothing may be submitted with an earlier `ready`.
  Instant horizon() const { return horizon_; }
  /// Transactions submitted and not yet over.
  std::int64_t in_flight() const { return in_flight_; }

  /// When the next action or device event is due.
  Instant next_event() const;
  /// Before when certainly nothing is submitted.
  Instant bound() const;
  /// Does all that is due at `now` or before; returns when the next thing is due.
  Instant react(Instant now);
  /// Lets the fabric compute until `limit` at most; returns the new horizon.
  Instant advance(Instant limit) {
    horizon_ = fabric_->advance(limit);
    if (watch_) watch_->reached(horizon_);
    return horizon_;
  }

  void submit(fabric::NodeId node, fabric::ChannelIndex channel, const fabric::Transaction& transaction);
  using Tamper = std::function<bool(fabric::NodeId, fabric::Transaction&)>;
  void tamper(Tamper change) { tamper_ = std::move(change); }
  /// Before `prepare`.
  void watch(const TlpWatchers& watchers) { watchers_ = watchers; }
  std::vector<std::string> violations() const { return watch_ ? watch_->violations() : std::vector<std::string>{}; }
  void respond(fabric::RequestId request, Instant ready, pcie::Status status);

 private:
  void deliver(const fabric::Delivery& delivery) override;
  [[gnu::noinline]] void deliver_watched(const fabric::Delivery& delivery);
  void pass_on(const fabric::Delivery& delivery);
  void pass_on_sent(const fabric::Delivery& delivery);
  [[gnu::noinline]] void submit_changed(fabric::NodeId node, fabric::ChannelIndex channel,
                                        fabric::Transaction transaction);
  void act();
  /// Who answers at one node of the fabric, and whose its channels are.
  struct AtNode {
    std::vector<DeviceSlot*> slots;
    std::vector<DeviceSlot*> by_channel;  ///< from the start on
    bool by_address = false;              ///< a device has windows, so that the address says whom it concerns
    std::size_t channels = 0;             ///< of the topology's endpoint
    Duration reaction{};                  ///< likewise
  };

  DeviceSlot* completer(fabric::NodeId node, std::uint64_t address) const;
  DeviceSlot* requester(fabric::NodeId node, fabric::ChannelIndex channel) const;

  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::DeliverySink* observer_ = nullptr;
  Accounts* accounts_ = nullptr;
  std::vector<std::unique_ptr<DeviceSlot>> slots_;
  std::vector<AtNode> nodes_;
  std::multimap<Instant, Action> actions_;
  Tamper tamper_;
  bool started_ = false;
  TlpWatchers watchers_;
  std::unique_ptr<TlpWatch> watch_;
  Instant next_action_ = never;
  Instant horizon_{};
  std::int64_t in_flight_ = 0;
};

}  // namespace peerpath::loop
