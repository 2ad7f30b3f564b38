#include "transport/traffic/frame_stream.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::transport {

void EthernetSender::add(std::unique_ptr<FrameStream> stream) {
  auto head = stream->next();
  streams_.push_back({std::move(stream), std::move(head)});
}

std::optional<device::FrameArrival> EthernetSender::next() {
  Waiting* first = nullptr;
  for (auto& waiting : streams_)
    if (waiting.head && (first == nullptr || waiting.head->ready < first->head->ready)) first = &waiting;
  return first == nullptr ? std::nullopt : send(*first);
}

std::optional<device::FrameArrival> EthernetSender::send(Waiting& from) {
  const auto& [ready, frame] = *from.head;
  if (frame.size != last_size_) {
    last_size_ = frame.size;
    to_last_bit_ = (net::preamble + net::padded(frame.size) + net::fcs) / rate_ + latency_;
    to_next_ = net::wire_size(frame.size) / rate_;
  }
  const Instant start = std::max(ready, free_);
  free_ = start + to_next_;
  std::optional<device::FrameArrival> result{std::in_place};
  result->last_bit = start + to_last_bit_;
  result->frame = frame;
  from.head = from.stream->next();
  if (watcher_) watcher_(*result);
  return result;
}

}  // namespace peerpath::transport
