#include "devices/nic/rx_queue.hpp"

#include <algorithm>

namespace peerpath::nic {
namespace {

DescriptorFetch::Role fetch_role(Context& nic, QueueIndex index) {
  auto& rings = nic.memory.queue(index);
  return {Dma::rx_descriptors, nic.memory.sizes().buffer, rings.places.buffers, rings.buffers.size()};
}

CompletionWriter::Role completion_role(Context& nic, QueueIndex index) {
  auto& rings = nic.memory.queue(index);
  const auto& places = rings.places;
  return {Dma::rx_completions,
          nic.memory.sizes().rx_completion,
          places.rx_completions,
          places.rx_interrupt,
          rings.rx_completions.size(),
          rx_vector(index),
          timer_of(index, Timer::rx_writeback),
          timer_of(index, Timer::rx_interrupt)};
}

}  // namespace

RxQueue::RxQueue(Context& nic, QueueIndex index)
    : nic_{&nic},
      index_{index},
      rings_{&nic.memory.queue(index)},
      fetch_{nic, index, fetch_role(nic, index)},
      completions_{nic, index, completion_role(nic, index)} {}

void RxQueue::start() {
  fetch_.restart(fetch_role(*nic_, index_), epoch_);
  completions_.restart(completion_role(*nic_, index_), epoch_);
  running_ = true;
}

void RxQueue::drop(const RxFrame& frame, Drop why, Instant now) {
  nic_->fifo.release(frame.record.frame, now);
  ++nic_->counters.rx_dropped[static_cast<std::size_t>(why)];
  nic_->counters.rx_dropped_payload += frame.record.payload;
  nic_->memory.journal().dropped(frame.record.handle, why, frame.record.wire, frame.record.payload);
}

void RxQueue::stop(Instant now) {
  for (; !waiting_.empty(); waiting_.pop()) drop(waiting_.front(), Drop::queue_stopped, now);
  running_ = false;
  epoch_ = static_cast<std::uint8_t>((epoch_ + 1) & 15);
  fetch_.restart(fetch_role(*nic_, index_), epoch_);
  completions_.restart(completion_role(*nic_, index_), epoch_);
}

void RxQueue::buffers_posted(std::uint32_t producer, Instant now, device::Outbox& out) {
  if (!running_) return;
  fetch_.posted(producer, now, out);
  serve(now, out);
}

void RxQueue::descriptors_read(const Cookie& cookie, pcie::Status status, Instant now, device::Outbox& out) {
  if (fetch_.completed(cookie, status)) serve(now, out);
}

void RxQueue::frame(const RxFrame& frame, Instant now, device::Outbox& out) {
  if (waiting_.empty() && take(frame, now, out)) return;
  ++(fetch_.under_way() > 0 ? nic_->counters.rx_waited_fetch : nic_->counters.rx_waited_ring);
  waiting_.push(frame);
}

void RxQueue::serve(Instant now, device::Outbox& out) {
  while (!waiting_.empty() && take(waiting_.front(), now, out)) waiting_.pop();
}

bool RxQueue::take(const RxFrame& frame, Instant now, device::Outbox& out) {
  const Bytes size = rx_shape(*nic_, *rings_).buffer_size;
  const Bytes bytes = Bytes{frame.in_front} + frame.record.payload;
  const auto buffers = bytes <= size ? 1 : static_cast<std::uint32_t>((bytes + size - Bytes{1}) / size);
  const bool enough = buffers <= fetch_.available();
  if (enough) write(frame, buffers, size, now, out);
  fetch_.fetch(now, out, enough ? 0 : buffers);
  return enough;
}

void RxQueue::write(const RxFrame& frame, std::uint32_t buffers, Bytes buffer_size, Instant now, device::Outbox& out) {
  const Instant ready = std::max(frame.ready, now);
  const std::int64_t payload_bytes = frame.record.payload.count();
  const Bytes in_buffers = Bytes{frame.in_front} + frame.record.payload;
  // An unsplit frame without payload is headers alone; else its headers count as the payload that they travel with.
  const auto purpose = payload_bytes > 0 ? pcie::Purpose::payload : frame.headers;
  const int writes = (frame.header_length > 0 ? 1 : 0) + (in_buffers > Bytes{0} ? static_cast<int>(buffers) : 0);
  const auto packet = nic_->memory.journal().open(frame.record, writes);
  nic_->memory.journal().started(packet, frame.ready, ready);
  const Cookie cookie{Dma::rx_data, epoch_, index_, 0, packet.value()};

  std::int64_t left = in_buffers.count();
  int unsent = writes;
  const auto write = [&](MemoryPlace place, Bytes bytes, pcie::Purpose why) {
    auto t = write_to(place, bytes, why, cookie, ready);
    t.tell_sent = --unsent == 0;
    out.submit(write_channel, t);
  };
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const auto& buffer = rings_->buffers.at(fetch_.next());
    if (i == 0 && frame.header_length > 0) write(buffer.header, Bytes{frame.header_length}, frame.headers);
    const std::int64_t piece = std::min(left, buffer_size.count());
    if (piece > 0) write(buffer.payload, Bytes{piece}, purpose);
    left -= piece;

    RxCompletion done;
    done.queue = index_;
    done.buffer = buffer.buffer;
    done.header_length = i == 0 ? frame.header_length : std::uint16_t{0};
    done.payload_length = static_cast<std::uint32_t>(piece);
    done.rss_hash = frame.record.rss_hash;
    done.layer3 = frame.layer3;
    done.layer4 = frame.layer4;
    done.split = frame.header_length > 0;
    done.end_of_packet = i + 1 == buffers;
    done.error = frame.error;
    done.packet = packet;
    rings_->rx_completions.write(completions_.next(), done);
    fetch_.consume();
    completions_.add(now, ready, out);
  }
}

}  // namespace peerpath::nic
