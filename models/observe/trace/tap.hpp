// Stands between a device and the loop, and tells what it sees of it: frames, work of cores, the level of a FIFO.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "observe/trace/sink.hpp"
#include "peerpath/device/place.hpp"

namespace peerpath::host_cpu {
class HostCpu;
}
namespace peerpath::nic {
class Nic;
}

namespace peerpath::trace {

/// What a device did.
using Seen = std::variant<Frame, Work, Level>;

/// Changes nothing: what the device is told and what it asks for passes through.
class Tap final : public device::Endpoint {
 public:
  using Tell = std::function<void(const Seen&)>;
  Tap(device::Endpoint& device, fabric::NodeId node, Tell tell);

  void start(device::Outbox& out) override;
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override;
  void on_computed(const fabric::Delivery& delivery) override { device_.on_computed(delivery); }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override;
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override;

 private:
  /// The device's outbox during one call.
  class Tapped;

  void look(Instant now);

  device::Endpoint& device_;
  const host_cpu::HostCpu* cpu_;  ///< the device, if it is one
  nic::Nic* nic_;                 ///< likewise
  std::vector<Duration> busy_;    ///< of each core, as told
  Bytes held_{};                  ///< in the FIFO, as told
  std::int64_t dropped_ = 0;      ///< frames, as told
  fabric::NodeId node_;
  Tell tell_;
};

}  // namespace peerpath::trace
