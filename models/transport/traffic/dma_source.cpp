#include "transport/traffic/dma_source.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::transport {

DmaSource::DmaSource(DmaPattern pattern, Random random)
    : pattern_{std::move(pattern)},
      arrivals_{{pattern_.rate, pattern_.arrival, pattern_.burst, pattern_.start}, random},
      next_(static_cast<std::size_t>(pattern_.flows)) {
  require(pattern_.outstanding > 0 && pattern_.flows > 0 && !pattern_.sizes.empty(), "a DMA source moves something");
  const Bytes part{pattern_.window.count() / pattern_.flows};
  require(std::ranges::all_of(pattern_.sizes, [&](Bytes n) { return n > Bytes{0} && n <= part; }),
          "a DMA transfer fits into its part of the window");
}

void DmaSource::start(device::Outbox& out) { fill(pattern_.start, out); }

void DmaSource::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto entry = offered_.extract(delivery.cookie);
  require(!entry.empty(), "a DMA source hears of a transfer that is not its own");
  const Instant offered = entry.mapped();
  ++counters_.done;
  counters_.failed += delivery.status == pcie::Status::success ? 0 : 1;
  counters_.bytes += delivery.bytes;
  counters_.latency += delivery.done - offered;
  counters_.last = delivery.done;
  if (watcher_) watcher_(offered, delivery);
  fill(delivery.done, out);
}

void DmaSource::fill(Instant now, device::Outbox& out) {
  while (offered_.size() < static_cast<std::size_t>(pattern_.outstanding) &&
         (pattern_.count == 0 || counters_.issued < pattern_.count)) {
    const auto number = counters_.issued++;
    const Bytes size = pattern_.sizes[static_cast<std::size_t>(number) % pattern_.sizes.size()];
    const Instant offered = pattern_.rate > BitRate{} ? arrivals_.next(size) : now;
    const auto cookie = frame_handle(pattern_.stream, static_cast<std::uint64_t>(number));
    offered_[cookie] = offered;
    out.submit(fabric::ChannelIndex{1}, {.cookie = cookie,
                                         .target = pattern_.target,
                                         .op = pattern_.op,
                                         .purpose = pcie::Purpose::payload,
                                         .notify_requester = true,
                                         .address = next_address(size),
                                         .bytes = size,
                                         .ready = std::max(now, offered)});
  }
}

std::uint64_t DmaSource::next_address(Bytes size) {
  const auto flow = static_cast<std::size_t>((counters_.issued - 1) % pattern_.flows);
  const Bytes part{pattern_.window.count() / pattern_.flows};
  auto& place = next_[flow];
  if (place + size > part) place = Bytes{0};
  const Bytes at = part * static_cast<std::int64_t>(flow) + place;
  place += size;
  return pattern_.address + static_cast<std::uint64_t>(at.count());
}

}  // namespace peerpath::transport
