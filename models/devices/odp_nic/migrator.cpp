#include "devices/odp_nic/migrator.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::odp {
namespace {

constexpr device::TimerId setup_timer{0}, kernel_timer{1};
constexpr fabric::ChannelIndex channel{1};
constexpr Bytes chunk_size{4096};
constexpr Bytes in_flight = chunk_size * 16;
constexpr Bytes store{64};
constexpr std::uint64_t kernels_messages = std::uint64_t{1} << 63;  // numbers that no message of the NIC has

}  // namespace

Migrator::Migrator(const device::OdpNicConfig& config, std::uint8_t number, Region& region, Duration setup,
                   Random random)
    : config_{config},
      number_{number},
      region_{region},
      setup_{setup},
      random_{random},
      resident_(region.contents.pages(), true),
      touched_(region.contents.pages()) {}

void Migrator::start(device::Outbox& out) {
  if (config_.touch_interval > Duration{0}) out.wake_at(kernel_timer, Instant{} + config_.touch_interval);
}

void Migrator::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  if (delivery.requester == region_.gpu) {
    if (cookie.work == Work::chunk) moved(delivery, out);
    return;
  }
  if (delivery.status != pcie::Status::success) return;
  if (cookie.work == Work::copy_to_host || cookie.work == Work::copy_to_vram) begin(cookie, delivery.done, out);
}

void Migrator::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer == setup_timer) return ask(now, out);
  out.wake_at(kernel_timer, now + config_.touch_interval);
  touch(static_cast<Page>(random_.next() % resident_.size()), now, out);
}

void Migrator::begin(const Cookie& command, Instant now, device::Outbox& out) {
  require(!copy_, "the driver moves one page at a time");
  const bool to_host = command.work == Work::copy_to_host;
  const Page page = command.value;
  if (to_host) resident_[page] = false;
  copy_ = Copy{page, to_host, false, {}, {}, region_.contents.read(page, to_host ? Place::vram : Place::host)};
  pace_ = now + setup_;
  out.wake_at(setup_timer, pace_);
}

/// Asks for as much of the page as may be in flight.
void Migrator::ask(Instant now, device::Outbox& out) {
  auto& copy = *copy_;
  while (copy.asked < region_.page && copy.asked - copy.moved < in_flight) {
    const auto size = std::min(chunk_size, region_.page - copy.asked);
    pace_ = std::max(pace_, now);
    out.submit(channel, {.cookie = Cookie{number_, Work::chunk, false, 0, copy.page}.pack(),
                         .target = region_.host,
                         .op = copy.to_host ? pcie::Operation::memory_write : pcie::Operation::memory_read,
                         .purpose = pcie::Purpose::payload,
                         .notify_requester = true,
                         .address = region_.frame(copy.page) + static_cast<std::uint64_t>(copy.asked.count()),
                         .bytes = size,
                         .ready = pace_});
    copy.asked += size;
    if (config_.migrate_rate > BitRate{}) pace_ += size / config_.migrate_rate;
  }
}

void Migrator::moved(const fabric::Delivery& delivery, device::Outbox& out) {
  auto& copy = *copy_;
  copy.moved += delivery.bytes;
  copy.failed = copy.failed || delivery.status != pcie::Status::success;
  if (copy.moved == region_.page) return finish(delivery.done, out);
  ask(delivery.done, out);
}

/// The page is whole at its new place; a kernel that waits for it goes on. A copy that failed changes nothing.
void Migrator::finish(Instant now, device::Outbox& out) {
  const auto copy = *copy_;
  copy_.reset();
  (copy.to_host ? counters_.to_host : counters_.to_vram) += copy.moved;
  if (!copy.failed) {
    const auto place = copy.to_host ? Place::host : Place::vram;
    region_.contents.put(copy.page, place, copy.content);
    region_.valid[copy.page] = place;
  }
  tell(Work::copied, copy.failed, copy.page, false, now, out);
  resident_[copy.page] = copy.to_host == copy.failed;
  if (resident_[copy.page] && touched_[copy.page]) touch(copy.page, now, out);
}

/// A kernel stores into a page, or waits for it; it asks once.
void Migrator::touch(Page page, Instant now, device::Outbox& out) {
  if (!resident_[page]) {
    if (touched_[page]) return;
    touched_[page] = true;
    ++counters_.faults;
    return tell(Work::touched, false, page, true, now, out);
  }
  touched_[page] = false;
  const auto number = kernels_messages | std::uint64_t{number_} << 40 | static_cast<std::uint64_t>(counters_.touches++);
  const private_pages::Piece piece{number, 0, store.count()};
  region_.contents.write(page, Place::vram, piece);
  region_.contents.expect(page, piece);
}

void Migrator::tell(Work work, bool flag, Page page, bool interrupt, Instant now, device::Outbox& out) {
  out.submit(channel, {.cookie = Cookie{number_, work, flag, 0, page}.pack(),
                       .target = region_.host,
                       .op = pcie::Operation::memory_write,
                       .purpose = interrupt ? pcie::Purpose::interrupt : pcie::Purpose::completion_entry,
                       .notify_target = true,
                       .address = interrupt ? region_.interrupts : region_.events,
                       .bytes = interrupt ? interrupt_write : event_entry,
                       .ready = now});
}

}  // namespace peerpath::odp
