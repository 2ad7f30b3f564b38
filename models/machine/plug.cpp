#include "machine/plug.hpp"

namespace peerpath::machine {

void Plug::on_delivery(const fabric::Delivery& d, device::Outbox&) {
  auto& mover = board_.mover();
  mover.run(d.done);
  const auto operation = mover.find(d.cookie);
  if (!operation) return;
  set_time(d.done);
  if (operation->completer == this) {
    operation->region->write(operation->offset, operation->bytes);
    return;
  }
  if (operation->submitter != this) return;  // a write by a peer into the memory of this device
  auto told = d;
  told.cookie = operation->cookie;
  if (d.kind == fabric::DeliveryKind::completed) {
    mover.end(d.cookie);
    if (operation->failed) told.status = pcie::Status::unsupported_request;
    return delivered(told, told.status == pcie::Status::success ? std::span<const std::uint8_t>{operation->bytes}
                                                                : std::span<const std::uint8_t>{});
  }
  delivered(told, {});
}

void Plug::on_computed(const fabric::Delivery& d) {
  auto& mover = board_.mover();
  const auto operation = mover.find(d.cookie);
  if (!operation) return;
  if (d.kind == fabric::DeliveryKind::arrived) mover.end_after(d.cookie, d.done);
  auto told = d;
  told.cookie = operation->cookie;
  computed(told);
}

void Plug::send_message(fabric::ChannelIndex channel, std::uint32_t vector, Instant now) {
  const auto message = board_.guest().message(number_, vector);
  if (!message) return;
  auto t = board_.address_message(*this, *message);
  t.ready = now;
  out_->submit(channel, t);
}

}  // namespace peerpath::machine
