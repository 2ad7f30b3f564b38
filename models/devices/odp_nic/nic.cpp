#include "devices/odp_nic/nic.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "peerpath/device/function_endpoint.hpp"

namespace peerpath::odp {
namespace {

constexpr int any_number_of_retries = 7;  // IBTA: RNR retry count 7 is infinite

}  // namespace

fabric::Endpoint fabric_endpoint(const device::OdpNicConfig& config) {
  return device::endpoint_of(config.function, nic_channels);
}

Nic::Nic(const device::OdpNicConfig& config, fabric::NodeId self, std::vector<Region*> regions,
         std::vector<Stream> streams)
    : config_{config}, self_{self} {
  require(regions.size() == streams.size(), "each registered buffer has a stream");
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const auto pages = regions[i]->contents.pages();
    queues_.push_back({regions[i],
                       QueuePair{std::move(streams[i]), std::uint64_t{i} << 40},
                       private_pages::Translations{pages},
                       std::vector<std::optional<Instant>>(pages),
                       {},
                       {}});
  }
}

void Nic::start(device::Outbox& out) {
  for (std::size_t i = 0; i < queues_.size(); ++i) go_on(static_cast<std::uint8_t>(i), Instant{}, out);
}

void Nic::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  if (delivery.requester == self_) return moved(delivery, cookie, out);
  if (delivery.purpose == pcie::Purpose::doorbell && delivery.status == pcie::Status::success)
    command(cookie, delivery.done, out);
}

void Nic::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  auto& queue = queues_[timer.value()];
  auto& pair = queue.pair;
  if (pair.state == QueuePair::State::not_ready) {
    queue.waited += now - queue.waits_since;
    pair.state = QueuePair::State::ready;
    pair.waits_for.reset();
  }
  go_on(static_cast<std::uint8_t>(timer.value()), now, out);
}

// ------------------------------------------------------------------------------------------------ what the driver says

void Nic::command(const Cookie& cookie, Instant now, device::Outbox& out) {
  auto& queue = queues_[cookie.region];
  const Page page = cookie.value;
  if (cookie.work == Work::invalidate) {
    if (queue.translations.invalidate(page))
      return tell(queue, {cookie.region, Work::drained, false, 0, page}, false, now, out);
    ++counters_.invalidations_in_flight;
    return;
  }
  if (cookie.work == Work::install)
    queue.translations.fill(page, {cookie.flag ? Place::vram : Place::host, cookie.slot});
  served(cookie.region, page, cookie.work == Work::install, now, out);
}

/// A fault has its answer. The peer of a queue pair that was told RNR comes again by itself.
void Nic::served(std::uint8_t number, Page page, bool installed, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  if (const auto since = std::exchange(queue.reported[page], std::nullopt)) {
    counters_.fault_time += now - *since;
    ++counters_.served;
  }
  auto& pair = queue.pair;
  if (pair.waits_for != page) return;
  if (!installed) return fail(queue, now);
  if (pair.state != QueuePair::State::stalled) return;
  pair.state = QueuePair::State::ready;
  pair.waits_for.reset();
  go_on(number, now, out);
}

/// The queue pair ends in error: its last message is over as soon as what is in flight has arrived.
void Nic::fail(Queue& queue, Instant now) {
  if (queue.pair.state == QueuePair::State::not_ready) queue.waited += now - queue.waits_since;
  queue.pair.state = QueuePair::State::failed;
  for (auto& message : std::deque{queue.pair.open()}) {
    if (message.sent == message.size) continue;
    auto& cut = queue.pair.find(message.number);
    cut.failed = true;
    cut.size = cut.sent;
    if (cut.moved == cut.size) finish(queue, cut, now);
  }
}

// ------------------------------------------------------------------------------------------------ messages

void Nic::go_on(std::uint8_t number, Instant now, device::Outbox& out) {
  auto& pair = queues_[number].pair;
  const device::TimerId timer{number};
  while (pair.state == QueuePair::State::ready) {
    auto* message = pair.current(now);
    if (message == nullptr) return out.wake_at(timer, pair.next_offer());
    if (!pair.arrives) {
      const auto packet = QueuePair::next_packet(*message, config_.mtu, config_.page);
      wire_free_ = std::max(now, wire_free_) + (packet.size + packet_overhead) / config_.wire_rate;
      pair.arrives = wire_free_;
    }
    if (*pair.arrives > now) return out.wake_at(timer, *pair.arrives);
    if (!send(number, *message, now, out)) return;
  }
}

/// A packet is in: it goes to memory, or waits for room, or finds no page. Returns whether the next one may come.
bool Nic::send(std::uint8_t number, Message& message, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  auto& pair = queue.pair;
  const auto packet = QueuePair::next_packet(message, config_.mtu, config_.page);
  const auto& translation = queue.translations.find(packet.page);
  if (!translation) {
    fault(number, packet.page, now, out);
    return false;
  }
  pair.no_room = buffered_ > Bytes{} && buffered_ + packet.size > config_.buffer;
  if (pair.no_room) return false;
  buffered_ += packet.size;
  pair.arrives.reset();
  pair.retries = 0;
  queue.translations.begin(packet.page);
  const auto access = next_access_++;
  accesses_[access] = {message.number, packet, message.sent, translation->place};
  message.sent += packet.size;
  out.submit(
      pair.writes() ? posted_channel : read_channel,
      {.cookie = Cookie{number, Work::data, false, 0, access}.pack(),
       .target = queue.region->node(translation->place),
       .op = pair.stream().op,
       .purpose = pcie::Purpose::payload,
       .relaxed_ordering = config_.function.relaxed_ordering,
       .id_based_ordering = config_.function.id_based_ordering,
       .notify_requester = true,
       .address = queue.region->address(packet.page, *translation) + static_cast<std::uint64_t>(packet.offset.count()),
       .bytes = packet.size,
       .ready = now});
  return true;
}

void Nic::fault(std::uint8_t number, Page page, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  auto& pair = queue.pair;
  pair.arrives.reset();
  pair.waits_for = page;
  if (!queue.reported[page]) {
    queue.reported[page] = now;
    ++counters_.faults;
    tell(queue, {number, Work::fault, false, 0, page}, true, now, out);
  }
  if (!pair.writes()) {
    pair.state = QueuePair::State::stalled;
    return;
  }
  ++counters_.rnr_naks;
  if (config_.rnr_retry < any_number_of_retries && pair.retries++ >= config_.rnr_retry) return fail(queue, now);
  pair.state = QueuePair::State::not_ready;
  queue.waits_since = now;
  out.wake_at(device::TimerId{number}, now + config_.round_trip + config_.rnr_timer);
}

void Nic::moved(const fabric::Delivery& delivery, const Cookie& cookie, device::Outbox& out) {
  if (cookie.work != Work::data) return;
  const auto now = delivery.done;
  auto& queue = queues_[cookie.region];
  const auto found = accesses_.find(cookie.value);
  require(found != accesses_.end(), "a page moved without a request");
  const auto access = found->second;
  accesses_.erase(found);
  const auto page = access.packet.page;
  auto& message = queue.pair.find(access.message);
  if (delivery.status == pcie::Status::success) {
    (access.place == Place::host ? counters_.to_host : counters_.to_peer) += access.packet.size;
    if (!first_byte_) first_byte_ = now;
    if (queue.pair.writes()) {
      const private_pages::Piece piece{access.message, access.begin.count(),
                                       (access.begin + access.packet.size).count()};
      queue.region->contents.write(page, access.place, piece);
      message.landed[page].add(piece);
    } else if (queue.region->valid[page] != access.place) {
      ++counters_.stale_reads;
    }
  } else {
    message.failed = true;
  }
  buffered_ -= access.packet.size;
  if (queue.translations.end(page)) tell(queue, {cookie.region, Work::drained, false, 0, page}, false, now, out);
  message.moved += access.packet.size;
  if (message.moved == message.size) finish(queue, message, now);
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (queues_[i].pair.no_room) go_on(static_cast<std::uint8_t>(i), now, out);
}

/// The peer counts on each byte that it sent; of a message that failed, on those that arrived.
void Nic::finish(Queue& queue, const Message& message, Instant now) {
  ++counters_.messages;
  counters_.failed += message.failed ? 1 : 0;
  auto& contents = queue.region->contents;
  if (queue.pair.writes() && message.failed) {
    for (const auto& [page, content] : message.landed) contents.expect(page, content);
  } else if (queue.pair.writes()) {
    for (Bytes at{}; at < message.size;) {
      const auto place = (message.start + at).count();
      const auto end = std::min(at + config_.page - Bytes{place % config_.page.count()}, message.size);
      contents.expect(static_cast<Page>(place / config_.page.count()), {message.number, at.count(), end.count()});
      at = end;
    }
  }
  if (!message.failed && queue.pair.stream().done) queue.pair.stream().done(message.offered, now, message.size);
  queue.pair.remove(message.number);
}

void Nic::tell(const Queue& queue, const Cookie& cookie, bool interrupt, Instant now, device::Outbox& out) {
  const auto write = [&](Work work, pcie::Purpose purpose, std::uint64_t address, Bytes size, bool notify) {
    out.submit(posted_channel, {.cookie = Cookie{cookie.region, work, cookie.flag, cookie.slot, cookie.value}.pack(),
                                .target = queue.region->host,
                                .op = pcie::Operation::memory_write,
                                .purpose = purpose,
                                .notify_target = notify,
                                .address = address,
                                .bytes = size,
                                .ready = now});
  };
  if (!interrupt) return write(cookie.work, pcie::Purpose::completion_entry, queue.region->events, event_entry, true);
  write(Work::event, pcie::Purpose::completion_entry, queue.region->events, event_entry, false);
  write(cookie.work, pcie::Purpose::interrupt, queue.region->interrupts, interrupt_write, true);
}

Duration Nic::waited_until(Instant now) const {
  Duration all{};
  for (const auto& queue : queues_)
    all += queue.waited + (queue.pair.state == QueuePair::State::not_ready ? now - queue.waits_since : Duration{0});
  return all;
}

private_pages::Verdict Nic::verdict() const {
  private_pages::Verdict verdict;
  for (const auto& queue : queues_) {
    std::map<Page, private_pages::Content> open;
    for (const auto& message : queue.pair.open())
      for (const auto& [page, content] : message.landed) open[page].add(content);
    for (Page page = 0; page < queue.region->contents.pages(); ++page)
      queue.region->contents.judge(page, queue.region->valid[page], open[page], verdict);
  }
  return verdict;
}

}  // namespace peerpath::odp
