#include "devices/nvme/submitter.hpp"

#include <algorithm>

#include "devices/nvme/drive.hpp"

namespace peerpath::nvme {

Submitter::Submitter(fabric::NodeId drive, std::uint64_t doorbells, std::vector<QueuePair*> pairs,
                     std::vector<Stream> streams)
    : drive_{drive}, doorbells_{doorbells} {
  require(pairs.size() == streams.size(), "each stream has a queue pair");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& pair = *pairs[i];
    Queue queue{&pair, std::move(streams[i]), Ring{pair.entries()}, Ring{pair.entries()}, {}};
    for (int id = pair.depth(); id-- > 0;) queue.free.push_back(static_cast<std::uint16_t>(id));
    queue.begun.resize(queue.free.size());
    queue.sizes.resize(queue.free.size());
    queues_.push_back(std::move(queue));
  }
}

void Submitter::start(device::Outbox& out) {
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) fill(queue, Instant{}, out);
}

void Submitter::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  fill(static_cast<std::uint32_t>(timer.value()), now, out);
}

/// Completions of a queue have arrived, up to the tail in the cookie.
void Submitter::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto cookie = Cookie::unpack(delivery.cookie);
  if (delivery.requester != drive_ || delivery.status != pcie::Status::success) return;
  auto& queue = queues_[cookie.queue];
  queue.completions.set_tail(cookie.value);
  if (queue.completions.empty()) return;
  count_depth(delivery.done);
  while (!queue.completions.empty()) {
    const auto& completion = queue.pair->completions[queue.completions.head()];
    queue.completions.pop();
    queue.submissions.set_head(completion.sq_head);
    ++completed_;
    queue.free.push_back(completion.id);
    if (completion.failed || !queue.stream.done) continue;
    queue.stream.done(queue.begun[completion.id], delivery.done, queue.sizes[completion.id]);
  }
  ring(cookie.queue, Work::completion_doorbell, queue.completions.head(), delivery.done, out);
  fill(cookie.queue, delivery.done, out);
}

/// Submits what is offered by now and has room; one doorbell tells of it all.
void Submitter::fill(std::uint32_t number, Instant now, device::Outbox& out) {
  auto& queue = queues_[number];
  const auto& stream = queue.stream;
  bool any = false;
  count_depth(now);
  while (!queue.free.empty() && !queue.submissions.full()) {
    const Instant begin = std::max(Instant{queue.offered / stream.rate}, queue.core_free);
    if (begin > now) {
      out.wake_at(device::TimerId{static_cast<std::uint16_t>(number)}, begin);
      break;
    }
    queue.core_free = now + stream.submit_time;
    const auto size = stream.sizes[static_cast<std::size_t>(queue.number++) % stream.sizes.size()];
    queue.offered += size;
    const auto id = queue.free.back();
    queue.free.pop_back();
    queue.begun[id] = now;
    queue.sizes[id] = size;
    queue.pair->submissions[queue.submissions.push()] = {id, stream.opcode, next_buffer(queue, size), size};
    ++submitted_;
    any = true;
  }
  if (any) ring(number, Work::submission_doorbell, queue.submissions.tail(), now, out);
}

std::uint64_t Submitter::next_buffer(Queue& queue, Bytes size) {
  if (queue.place + size > queue.stream.window) queue.place = Bytes{};
  const auto at = queue.place;
  queue.place += size;
  return queue.stream.address + static_cast<std::uint64_t>(at.count());
}

void Submitter::ring(std::uint32_t queue, Work which, std::uint32_t value, Instant now, device::Outbox& out) {
  ++rung_;
  out.submit(fabric::ChannelIndex{1}, {.cookie = Cookie{queue, which, value}.pack(),
                                       .target = drive_,
                                       .op = pcie::Operation::memory_write,
                                       .purpose = pcie::Purpose::doorbell,
                                       .notify_target = true,
                                       .address = doorbells_ + doorbell_offset(queue, which),
                                       .bytes = doorbell,
                                       .ready = now});
}

void Submitter::count_depth(Instant now) {
  depth_time_ += WideInt{in_flight()} * (now - counted_).count();
  counted_ = now;
}

}  // namespace peerpath::nvme
