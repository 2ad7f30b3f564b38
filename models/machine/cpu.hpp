// The guest's processor at the fabric of a machine: its posted writes, its reads, and the messages that reach it.
#pragma once

#include "devices/host_cpu/driver_context.hpp"
#include "machine/guest.hpp"
#include "machine/mover.hpp"
#include "peerpath/device/endpoint.hpp"

namespace peerpath::machine {

/// A message on its way to the processor, where a region would be.
struct Arriving final : Region {
  Arriving(Guest& guest, DeviceNumber device, const Message& message)
      : guest{guest}, device{device}, message{message} {}
  bool read(std::uint64_t, std::span<std::uint8_t>) override { return false; }
  bool write(std::uint64_t, std::span<const std::uint8_t>) override {
    guest.interrupt(device, message);
    return true;
  }
  Guest& guest;
  DeviceNumber device;
  Message message;
};

class Cpu final : public device::Endpoint {
 public:
  explicit Cpu(Mover& mover) : mover_{mover} {}

  void submit(const fabric::Transaction& t) { out_->submit(host_cpu::mmio_channel, t); }
  /// The read with this number has ended.
  bool has_read(std::uint64_t number) const { return read_ == number; }
  bool failed() const { return failed_; }

  void start(device::Outbox& out) override { out_ = &out; }
  void on_delivery(const fabric::Delivery& d, device::Outbox&) override {
    mover_.run(d.done);
    const auto operation = mover_.find(d.cookie);
    if (!operation) return;
    if (d.kind == fabric::DeliveryKind::completed) {
      read_ = d.cookie;
      failed_ = d.status != pcie::Status::success || operation->failed;
    } else if (operation->completer == this) {
      operation->region->write(0, operation->bytes);
    }
  }
  void on_computed(const fabric::Delivery& d) override {
    if (d.kind == fabric::DeliveryKind::arrived) mover_.end_after(d.cookie, d.done);
  }
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}

 private:
  Mover& mover_;
  device::Outbox* out_ = nullptr;
  std::uint64_t read_ = 0;
  bool failed_ = false;
};

}  // namespace peerpath::machine
