#include "devices/gpu/request_queue.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::gpu {
namespace {

constexpr device::TimerId own_timer{0xffff};

bool is_posted(const fabric::Transaction& t) { return pcie::request_class(t.op) == pcie::TlpClass::posted; }

}  // namespace

/// What a part sees as its shell.
class RequestQueue::PartOutbox final : public device::Outbox {
 public:
  PartOutbox(RequestQueue& queue, std::size_t part, device::Outbox& out) : queue_{queue}, part_{part}, out_{out} {}

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& transaction) override {
    queue_.ask({part_, channel, transaction});
  }
  void respond(fabric::RequestId request, Instant ready, pcie::Status status) override {
    out_.respond(request, ready, status);
  }
  void wake_at(device::TimerId timer, Instant when) override {
    out_.wake_at(device::TimerId{static_cast<std::uint16_t>(queue_.parts_[part_].before + timer.value())}, when);
  }
  void transmit(int port, const device::Frame& frame, Instant when) override { out_.transmit(port, frame, when); }

 private:
  RequestQueue& queue_;
  std::size_t part_;
  device::Outbox& out_;
};

int RequestQueue::add(device::Endpoint& part, int channels) {
  parts_.push_back({&part, channels_});
  channels_ += channels;
  require(channels_ < own_timer.value(), "parts of a GPU have channels enough");
  return parts_.back().before;
}

std::int64_t RequestQueue::requests_of(const fabric::Transaction& t) const {
  return (t.bytes + read_request_ - Bytes{1}) / read_request_;
}

void RequestQueue::ask(const Asked& asked) { waiting_.emplace(std::pair{asked.transaction.ready, number_++}, asked); }

void RequestQueue::let_go(Instant now, device::Outbox& out) {
  while (!waiting_.empty()) {
    const auto first = waiting_.begin();
    if (const auto when = std::max(first->first.first, next_); when > now) return out.wake_at(own_timer, when);
    const auto& asked = first->second;
    auto t = asked.transaction;
    if (is_posted(t)) {
      if (writing_ > Bytes{0} && writing_ + t.bytes > most_written) return;
      writing_ += t.bytes;
      if (write_rate_ > BitRate{}) next_ = now + t.bytes / write_rate_;
    } else {
      if (reading_ > 0 && reading_ + requests_of(t) > tags_) return;
      reading_ += requests_of(t);
    }
    const fabric::ChannelIndex channel{static_cast<std::uint16_t>(parts_[asked.part].before + asked.channel.value())};
    t.cookie = first->first.second;
    t.ready = now;
    under_way_.emplace(t.cookie, asked);
    waiting_.erase(first);
    out.submit(channel, t);
  }
}

void RequestQueue::start(device::Outbox& out) {
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    PartOutbox part{*this, n, out};
    parts_[n].endpoint->start(part);
  }
  let_go(Instant{}, out);
}

void RequestQueue::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto found = under_way_.extract(delivery.cookie);
  require(!found.empty(), "a queue of requests hears of one that is not its own");
  const auto& [part, channel, transaction] = found.mapped();
  if (is_posted(transaction))
    writing_ -= transaction.bytes;
  else
    reading_ -= requests_of(transaction);
  auto theirs = delivery;
  theirs.cookie = transaction.cookie;
  theirs.channel = channel;
  PartOutbox shell{*this, part, out};
  parts_[part].endpoint->on_delivery(theirs, shell);
  let_go(delivery.done, out);
}

void RequestQueue::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer != own_timer) {
    auto part = parts_.size() - 1;
    while (parts_[part].before > timer.value()) --part;
    PartOutbox shell{*this, part, out};
    const auto theirs = static_cast<std::uint16_t>(timer.value() - parts_[part].before);
    parts_[part].endpoint->on_wake(device::TimerId{theirs}, now, shell);
  }
  let_go(now, out);
}

void RequestQueue::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  PartOutbox shell{*this, 0, out};
  parts_.front().endpoint->on_frame(port, frame, now, shell);
  let_go(now, out);
}

}  // namespace peerpath::gpu
