// The plain event loop: device objects against a fabric, with nothing else around them. What it does is the meaning
// that every other shell has to reproduce.
#pragma once

#include <functional>

#include "loop/reactor.hpp"

namespace peerpath::loop {

/// Runs a reactor up to and including `end`, in batches of `quantum` at most; the quantum changes no result. `stop` is
/// asked after each batch, when everything up to the horizon has happened: true ends the run there. Returns whether
/// `end` was reached.
bool drive(Reactor& reactor, Instant end, Duration quantum, const std::function<bool()>& stop = {});

/// A reactor and its fabric, driven by nothing but calls of `run_until`.
class Loop {
 public:
  using MakeFabric = Reactor::MakeFabric;
  using Action = Reactor::Action;

  explicit Loop(const MakeFabric& make, Duration quantum = std::chrono::microseconds{10});
  Loop(const fabric::Topology& topology, fabric::Mode mode, Duration quantum = std::chrono::microseconds{10});

  /// The device must outlive the loop. All devices are added before the first `run_until`.
  DeviceIndex add(device::Endpoint& device, const Place& place) { return reactor_.attach(device, place); }

  /// Joins two Ethernet ports, both ways.
  void connect(EthernetPort a, EthernetPort b, Wire wire) { reactor_.join(a, b, wire); }

  /// Frames of `source` arrive at the port. The source must outlive the loop; a port may have several.
  void feed(EthernetPort port, device::FrameSource& source) {
    reactor_.slot(port.device).add_source(port.number, source);
  }

  /// Runs `action` at `when`, before any device: a link taken down, a route changed.
  void at(Instant when, Action action);

  /// Sends every delivery, with or without notice, to `sink` as it is computed (nullptr: nobody).
  void observe(fabric::DeliverySink* sink) { reactor_.observe(sink); }

  /// Simulates up to and including `end`. May be called again with a later end.
  void run_until(Instant end) { drive(reactor_, end, quantum_); }

  Instant now() const { return reactor_.horizon(); }
  fabric::Fabric& fabric() { return reactor_.fabric(); }

  /// The fabric's channel that a device calls 1.
  fabric::ChannelIndex first_channel(DeviceIndex device) { return reactor_.slot(device).first_channel(); }

 private:
  Reactor reactor_;
  Duration quantum_;
};

}  // namespace peerpath::loop
