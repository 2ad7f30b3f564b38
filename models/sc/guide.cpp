#include "sc/guide.hpp"

#include "sc/foreign_endpoint.hpp"

namespace peerpath::sc {

void Guide::start(device::Outbox& out) {
  out_ = &out;
  device_.start(*this);
}

void Guide::submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) {
  const auto via = passages_.via(place_.node, transaction.target);
  if (!via) return out_->submit(channel, transaction);
  const bool posted = pcie::request_class(transaction.op) == pcie::TlpClass::posted;
  auto first = transaction;
  first.target = *via;
  first.cookie = passages_.open({.asked = transaction,
                                 .requester = place_.node,
                                 .channel = channel,
                                 .sender = this,
                                 .left = transaction.bytes,
                                 .missing = transaction.bytes,
                                 .to_leave = transaction.notify_sent});
  first.notify_target = false;  // a foreign side sees all that comes
  first.notify_requester = !posted && transaction.notify_requester;
  out_->submit(channel, first);
}

Passage* Guide::sent(const fabric::Delivery& delivery) {
  const auto* passage = delivery.requester == place_.node ? passages_.find(delivery.cookie) : nullptr;
  const bool through = passage != nullptr && passages_.via(place_.node, passage->asked.target) == delivery.target;
  return through ? passages_.find(delivery.cookie) : nullptr;
}

void Guide::on_computed(const fabric::Delivery& delivery) {
  auto* passage = sent(delivery);
  if (passage == nullptr) return device_.on_computed(delivery);
  if (delivery.kind == fabric::DeliveryKind::sent) return device_.on_computed(Passages::as_asked(*passage, delivery));
  if (delivery.status == pcie::Status::success) return;  // it goes on
  const auto refused = Passages::as_asked(*passage, delivery);
  passage->refused = true;
  if (!passage->to_leave) passages_.close(delivery.cookie);
  device_.on_computed(refused);
}

void Guide::on_delivery(const fabric::Delivery& delivery, device::Outbox&) {
  if (auto* passage = sent(delivery)) {
    const auto seen = Passages::as_asked(*passage, delivery);
    const bool leaves = delivery.kind == fabric::DeliveryKind::sent;
    if (leaves) passage->to_leave = false;
    if (!leaves || passage->refused) passages_.close(delivery.cookie);
    return device_.on_delivery(seen, *this);
  }
  const auto* foreign = delivery.requester == place_.node ? nullptr : map_.foreign_at(delivery.requester);
  const auto number = foreign != nullptr ? foreign->passage_of(delivery.cookie) : std::nullopt;
  const auto* passage = number ? passages_.find(*number) : nullptr;
  device_.on_delivery(passage != nullptr ? Passages::as_asked(*passage, delivery) : delivery, *this);
}

void Guide::arrived(std::uint64_t number, const fabric::Delivery& last) {
  const auto passage = *passages_.find(number);
  passages_.close(number);
  const auto seen = Passages::as_asked(passage, last);
  device_.on_computed(seen);
  if (passage.asked.notify_requester && place_.hears_arrivals) device_.on_delivery(seen, *this);
}

}  // namespace peerpath::sc
