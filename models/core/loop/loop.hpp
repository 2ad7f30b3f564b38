// The plain event loop: device objects against a fabric, without SystemC. Tests use it, and what it does is the meaning
// that every other shell has to reproduce.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <variant>
#include <vector>

#include "peerpath/device/endpoint.hpp"
#include "peerpath/device/frame_source.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::loop {

using DeviceIndex = Id<struct DeviceTag>;  ///< in order of registration

/// Bus addresses [base, base + size).
struct Window {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  constexpr bool contains(std::uint64_t address) const { return address - base < size; }
};

/// Where a device sits in the fabric. Several devices may share a node (a host's CPU and its memory): each gets own
/// channels, numbered from 1 as it sees them, and what arrives at the node goes to the first device in order of
/// registration with a window that holds the address, else to the first one without windows, else to nobody.
struct Place {
  fabric::NodeId node{};
  int channels = 1;
  std::vector<Window> windows{};
  bool hears_arrivals = false;  ///< is told when what it posted with notify_requester has arrived
};

/// One end of an Ethernet wire.
struct Port {
  DeviceIndex device{};
  int number = 0;
};

/// An Ethernet wire, one direction at a time: a frame starts when it is sent and the one before it, with its gap, is
/// over; it is delivered when its last bit is in.
struct Wire {
  BitRate rate{};
  Duration latency{};
};

/// Runs devices against a fabric. Order of things at one instant: scheduled actions first; then device by device as
/// registered; for each its deliveries (by kind, requester, channel, cookie, address, request), then frames (by port,
/// then source), then timers (by number). So results depend neither on the quantum nor on the order in which a fabric
/// happens to compute its deliveries.
class Loop final : private fabric::DeliverySink {
 public:
  using MakeFabric = std::function<std::unique_ptr<fabric::Fabric>(fabric::DeliverySink&)>;
  using Action = std::function<void(fabric::Fabric&)>;

  explicit Loop(const MakeFabric& make, Duration quantum = std::chrono::microseconds{10});
  Loop(const fabric::Topology& topology, fabric::Mode mode, Duration quantum = std::chrono::microseconds{10});
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// The device must outlive the loop. All devices are added before the first `run_until`.
  DeviceIndex add(device::Endpoint& device, const Place& place);

  /// Joins two Ethernet ports, both ways.
  void connect(Port a, Port b, Wire wire);

  /// Frames of `source` arrive at the port. The source must outlive the loop; a port may have several.
  void feed(Port port, device::FrameSource& source);

  /// Runs `action` at `when`, before any device: a link taken down, a route changed.
  void at(Instant when, Action action);

  /// Sends every delivery, with or without notice, to `sink` as it is computed (nullptr: nobody).
  void observe(fabric::DeliverySink* sink) { observer_ = sink; }

  /// Simulates up to and including `end`. May be called again with a later end.
  void run_until(Instant end);

  Instant now() const { return now_; }
  fabric::Fabric& fabric() { return *fabric_; }

  /// The fabric's channel that a device calls 1.
  fabric::ChannelIndex first_channel(DeviceIndex device) const;

 private:
  class DeviceOutbox;

  struct Wake {
    device::TimerId timer{};
  };
  struct Arrival {
    int port = 0;
    std::size_t source = no_source;
    device::Frame frame{};
  };
  static constexpr std::size_t no_source = static_cast<std::size_t>(-1);

  struct Event {
    Instant time{};
    int device = -1;  ///< -1: an action
    std::variant<Action, fabric::Delivery, Arrival, Wake> what;
    std::uint64_t sequence = 0;

    auto order() const;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const;
  };
  struct Attached {
    device::Endpoint* device = nullptr;
    Place place;
    int first_channel = 1;
    std::map<device::TimerId, Instant> timers;
  };
  struct Transmitter {
    Port to;
    Wire wire;
    Instant free{};
  };
  struct Source {
    Port port;
    device::FrameSource* source = nullptr;
  };

  void deliver(const fabric::Delivery& delivery) override;
  void push(Instant time, int device, decltype(Event::what) what);
  void pull(std::size_t source);
  void handle(Event& event);
  void process_until(Instant horizon);
  int completer(fabric::NodeId node, std::uint64_t address) const;
  int requester(fabric::NodeId node, fabric::ChannelIndex channel) const;

  std::unique_ptr<fabric::Fabric> fabric_;
  Duration quantum_;
  Instant now_{};  ///< the last horizon: nothing earlier may be submitted
  bool started_ = false;
  fabric::DeliverySink* observer_ = nullptr;
  std::vector<Attached> devices_;
  std::map<std::pair<int, int>, Transmitter> wires_;  ///< by device and port
  std::vector<Source> sources_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t pushed_ = 0;
};

}  // namespace peerpath::loop
