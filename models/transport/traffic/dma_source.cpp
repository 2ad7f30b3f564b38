#include "transport/traffic/dma_source.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::transport {

DmaSource::DmaSource(DmaPattern pattern, Random random)
    : pattern_{std::move(pattern)},
      arrivals_{{pattern_.rate, pattern_.arrival, pattern_.burst, pattern_.start}, random},
      places_{random.next(), "places"},
      next_(static_cast<std::size_t>(pattern_.flows)) {
  require(pattern_.outstanding > 0 && pattern_.flows > 0 && !pattern_.sizes.empty(), "a DMA source moves something");
  const Bytes most =
      pattern_.pieces == nullptr ? part() : std::min(Bytes{part().count() / 2}, pattern_.pieces->piece());
  require(std::ranges::all_of(pattern_.sizes, [&](Bytes n) { return n > Bytes{0} && n <= most; }),
          "a DMA transfer fits into its part of the window");
  require(!pattern_.random || pattern_.pieces == nullptr, "pieces of a window are taken in turn");
}

void DmaSource::start(device::Outbox& out) { fill(pattern_.start, out); }

void DmaSource::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto in_flight = static_cast<std::int64_t>(transfers_.size());
  const auto entry = transfers_.extract(delivery.cookie);
  require(!entry.empty(), "a DMA source hears of a transfer that is not its own");
  const Instant offered = entry.mapped().offered;
  if (pattern_.pieces != nullptr) pattern_.pieces->release(entry.mapped().at);
  ++counters_.done;
  counters_.failed += delivery.status == pcie::Status::success ? 0 : 1;
  counters_.bytes += delivery.bytes;
  const Instant over = delivery.done + pattern_.reaction + pattern_.queueing * in_flight;
  counters_.latency += over - offered;
  counters_.last = over;
  if (watcher_) watcher_(offered, over, delivery);
  fill(over, out);
}

void DmaSource::fill(Instant now, device::Outbox& out) {
  while (transfers_.size() < static_cast<std::size_t>(pattern_.outstanding) &&
         (pattern_.count == 0 || counters_.issued < pattern_.count)) {
    const auto number = counters_.issued;
    const Bytes size = pattern_.sizes[static_cast<std::size_t>(number) % pattern_.sizes.size()];
    const auto flow = static_cast<std::size_t>(number % pattern_.flows);
    const Bytes in_part = next_place(flow, size);
    const Bytes at = part() * static_cast<std::int64_t>(flow) + in_part;
    if (pattern_.pieces != nullptr && !pattern_.pieces->available(at)) return;  // until a transfer is done
    next_[flow] = in_part + size;
    ++counters_.issued;

    const Instant offered = pattern_.rate > BitRate{} ? arrivals_.next(size) : now;
    gpu::Bar1Pieces::Mapped place{at, std::max(now, offered)};
    if (pattern_.pieces != nullptr) place = pattern_.pieces->take(at, place.ready);
    const auto cookie = frame_handle(pattern_.stream, static_cast<std::uint64_t>(number));
    transfers_[cookie] = {offered, at};
    out.submit(fabric::ChannelIndex{1}, {.cookie = cookie,
                                         .target = pattern_.target,
                                         .op = pattern_.op,
                                         .purpose = pcie::Purpose::payload,
                                         .traffic_class = pattern_.traffic_class,
                                         .notify_requester = true,
                                         .address = pattern_.address + static_cast<std::uint64_t>(place.offset.count()),
                                         .bytes = size,
                                         .ready = place.ready});
  }
}

std::int64_t DmaSource::in_flight(Instant now) const {
  return std::ranges::count_if(transfers_, [now](const auto& transfer) { return transfer.second.offered <= now; });
}

Bytes DmaSource::next_place(std::size_t flow, Bytes size) {
  if (pattern_.random) {
    constexpr std::int64_t line = 64;
    const Bytes unit{(size.count() + line - 1) / line * line};
    const auto places = std::max<std::int64_t>(part() / unit, 1);
    return unit * static_cast<std::int64_t>(places_.below(static_cast<std::uint64_t>(places)));
  }
  const Bytes start = part() * static_cast<std::int64_t>(flow);
  // Behind the last one, or where the piece ends in which it would not fit; round again if that is too late.
  const auto fitting = [&](Bytes place) {
    if (pattern_.pieces == nullptr) return place;
    const Bytes piece = pattern_.pieces->piece();
    const Bytes in_piece = (start + place) % piece;
    return in_piece + size > piece ? place + piece - in_piece : place;
  };
  const Bytes place = fitting(next_[flow]);
  return place + size > part() ? fitting(Bytes{0}) : place;
}

}  // namespace peerpath::transport
