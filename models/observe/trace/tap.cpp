#include "observe/trace/tap.hpp"

#include <utility>

#include "devices/host_cpu/host_cpu.hpp"
#include "devices/nic/nic.hpp"

namespace peerpath::trace {

class Tap::Tapped final : public device::Outbox {
 public:
  Tapped(Tap& tap, device::Outbox& out) : tap_{tap}, out_{out} {}
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override {
    out_.submit(channel, transaction);
  }
  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override {
    out_.respond(request, ready, status);
  }
  void wake_at(device::TimerId timer, Instant when) override { out_.wake_at(timer, when); }
  void transmit(int port, const device::Frame& frame, Instant when) override {
    tap_.tell_(Frame{when, tap_.node_, port, true, frame});
    out_.transmit(port, frame, when);
  }

 private:
  Tap& tap_;
  device::Outbox& out_;
};

Tap::Tap(device::Endpoint& device, fabric::NodeId node, Tell tell)
    : device_{device},
      cpu_{dynamic_cast<const host_cpu::HostCpu*>(&device)},
      nic_{dynamic_cast<nic::Nic*>(&device)},
      busy_(cpu_ == nullptr ? 0 : cpu_->cores().size()),
      node_{node},
      tell_{std::move(tell)} {}

/// A core's work is never interrupted: what it has been given since the last look ends when it is free.
void Tap::look(Instant now) {
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    const auto& core = cpu_->cores()[i];
    const auto given = core.busy() - std::exchange(busy_[i], core.busy());
    if (given > Duration{0}) tell_(Work{core.free() - given, core.free(), node_, static_cast<int>(i)});
  }
  if (nic_ == nullptr) return;
  const auto held = nic_->datapath().fifo_held(now);
  std::int64_t dropped = 0;
  for (const auto& reason : nic::enum_names(nic::Drop{})) dropped += nic_->counters().dropped(reason.value);
  const bool same = held == held_ && dropped == dropped_;
  held_ = held, dropped_ = dropped;
  if (!same) tell_(Level{now, node_, held, dropped});
}

void Tap::start(device::Outbox& out) {
  Tapped tapped{*this, out};
  device_.start(tapped);
}

void Tap::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  Tapped tapped{*this, out};
  device_.on_delivery(delivery, tapped);
  look(delivery.done);
}

void Tap::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  Tapped tapped{*this, out};
  device_.on_wake(timer, now, tapped);
  look(now);
}

void Tap::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  tell_(Frame{now, node_, port, false, frame});
  Tapped tapped{*this, out};
  device_.on_frame(port, frame, now, tapped);
  look(now);
}

}  // namespace peerpath::trace
