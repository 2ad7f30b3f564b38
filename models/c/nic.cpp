#include "peerpath/c/nic.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "c/bus.hpp"
#include "c/describe.hpp"
#include "c/guard.hpp"
#include "devices/nic/gve_nic.hpp"
#include "devices/nic/wire_faults.hpp"

using peerpath::Instant;
using peerpath::c::guarded;
namespace fabric = peerpath::fabric;
namespace gve = peerpath::nic::gve;
using peerpath::pcie::Purpose;

static_assert(PP_PURPOSES == peerpath::pcie::purposes &&
              PP_RETRANSMISSION == static_cast<int>(Purpose::retransmission) &&
              PP_PAYLOAD == static_cast<int>(Purpose::payload) &&
              PP_COMPLETION_ENTRY == static_cast<int>(Purpose::completion_entry));

/// Its clock goes a little with each call, and to the next timer when nothing is under way.
struct pp_nic final : private gve::Host {
  pp_nic(const gve::Offer& offer, const pp_nic_host& operations, void* host)
      : host_{host}, operations_{operations}, device{offer, *this} {}

 private:
  void submit(fabric::ChannelIndex, const fabric::Transaction& t, const peerpath::device::Content& content) override {
    peerpath::c::submit(operations_.bus, host_, t, content);
    if (!t.tell_sent || t.notify_sent) return;
    auto sent = peerpath::c::delivery(t.cookie, true, clock_);
    sent.kind = fabric::DeliveryKind::sent;
    device.on_computed(sent);
  }
  void wake_at(Instant when) override {
    timer_ = when;
    if (when != peerpath::never && !std::exchange(woken_, true)) operations_.wake(host_);
  }
  void flush_soon() override { operations_.flush_soon(host_); }
  void interrupt(std::uint32_t vector) override { operations_.interrupt(host_, vector); }
  void transmit(std::span<const std::uint8_t> frame, Instant) override {
    operations_.transmit(host_, frame.data(), frame.size());
  }

  void* host_;
  pp_nic_host operations_;
  Instant clock_{}, timer_ = peerpath::never;
  bool woken_ = false;  ///< it has asked for pp_nic_wake

  /// Resets a device that an exception has left in the middle of something, unless it still is in the middle of it.
  bool sound() {
    if (broken_ && !device.busy()) broken_ = !guarded(faults, [this] { device.fail(); });
    return !broken_;
  }

  bool broken_ = false;

 public:
  /// The call of an emulator. `body` is done only with a device that is sound.
  template <class Body>
  void call(Body&& body) {
    if (!sound()) return;
    clock_ += std::chrono::nanoseconds{1};
    device.set_time(clock_);
    if (!guarded(faults, body)) broken_ = true;
    sound();
  }
  void delivered(std::uint64_t cookie, bool success, std::span<const std::uint8_t> data) {
    auto d = peerpath::c::delivery(cookie, success, clock_);
    d.kind = fabric::DeliveryKind::sent;  // if it has to be told
    device.on_delivery(d);
    d.kind = {};
    device.on_delivery(d, data);
  }
  /// Wakes that it has asked for may have been forgotten.
  void reset() {
    woken_ = false;
    call([this] { device.reset(); });
  }
  void wake() {
    woken_ = false;
    call([this] {
      if (timer_ == peerpath::never) return;
      clock_ = std::max(clock_, std::exchange(timer_, peerpath::never));
      device.on_wake(clock_);
    });
  }
  gve::Nic device;
  peerpath::nic::WireFaults wire;
  std::uint64_t faults = 0;
};

uint32_t pp_nic_vectors(uint32_t queues) { return 2 * queues + 1; }

pp_nic* pp_nic_new(const pp_nic_config* config, const pp_nic_host* operations, void* host) {
  const auto offer = peerpath::c::offer_of(*config);
  if (!offer) return nullptr;
  std::uint64_t faults = 0;
  pp_nic* nic = nullptr;
  guarded(faults, [&] { nic = std::make_unique<pp_nic>(*offer, *operations, host).release(); });
  return nic;
}

void pp_nic_free(pp_nic* nic) { delete nic; }
void pp_nic_reset(pp_nic* nic) { nic->reset(); }

uint32_t pp_nic_read(pp_nic* nic, uint64_t offset, uint32_t width) {
  uint32_t value = 0xffffffff;  // as of a device that does not answer
  nic->call([&] { value = nic->device.registers().read(offset, width); });
  return value;
}

void pp_nic_write(pp_nic* nic, uint64_t offset, uint32_t width, uint32_t value) {
  nic->call([&] { nic->device.registers().write(offset, width, value); });
}

void pp_nic_doorbell(pp_nic* nic, uint64_t offset, uint32_t value) {
  nic->call([&] { nic->device.registers().doorbell(offset, value); });
}

void pp_nic_delivered(pp_nic* nic, uint64_t cookie, bool success, const void* data, size_t size) {
  nic->call([&] { nic->delivered(cookie, success, {static_cast<const std::uint8_t*>(data), size}); });
}

void pp_nic_wake(pp_nic* nic) { nic->wake(); }

bool pp_nic_flush(pp_nic* nic) {
  bool more = false;
  nic->call([&] { more = nic->device.flush(); });
  return more;
}

void pp_nic_receive(pp_nic* nic, const uint8_t* frame, size_t size) {
  nic->call([&] {
    nic->wire.take({frame, size}, [nic](std::span<const std::uint8_t> bytes) { nic->device.receive(bytes); });
  });
}

void pp_nic_add_wire_fault(pp_nic* nic, uint64_t frame, pp_wire_fault fault) {
  nic->call([&] { nic->wire.add(frame, static_cast<peerpath::nic::WireFault>(fault)); });
}

void pp_nic_set_link(pp_nic* nic, bool up) {
  nic->call([&] { nic->device.set_link(up); });
}

void pp_nic_count(const pp_nic* nic, pp_nic_counters* counters) {
  *counters = peerpath::c::counters_of(nic->device.statistics(), nic->faults);
}
