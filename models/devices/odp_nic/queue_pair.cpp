#include "devices/odp_nic/queue_pair.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::odp {

Message* QueuePair::current(Instant now) {
  if (!open_.empty() && open_.back().sent < open_.back().size) return &open_.back();
  if (next_offer() > now) return nullptr;
  const auto size = stream_.sizes[turn_++ % stream_.sizes.size()];
  if (place_ + size > stream_.window) place_ = Bytes{};
  open_.push_back({.number = next_number_++, .offered = next_offer(), .start = place_, .size = size});
  offered_ += size;
  place_ += size;
  return &open_.back();
}

Packet QueuePair::next_packet(const Message& message, Bytes mtu, Bytes page) {
  const auto at = message.start + message.sent;
  const Bytes offset{at.count() % page.count()};
  return {static_cast<Page>(at.count() / page.count()), offset,
          std::min({mtu, message.size - message.sent, page - offset})};
}

Message& QueuePair::find(std::uint64_t number) {
  const auto found = std::ranges::lower_bound(open_, number, {}, &Message::number);
  require(found != open_.end() && found->number == number, "a packet in flight belongs to no message");
  return *found;
}

void QueuePair::remove(std::uint64_t number) {
  open_.erase(std::ranges::lower_bound(open_, number, {}, &Message::number));
}

}  // namespace peerpath::odp
