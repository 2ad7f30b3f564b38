#include "devices/gpu/request_queue.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::gpu {
namespace {

constexpr device::TimerId own_timer{0xffff};
constexpr Bytes written_at_a_time{128};
constexpr std::int64_t kernel_turn = 5, engine_write_turn = 6;  // kernels have six turns for five of those writes

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

int RequestQueue::add(device::Endpoint& part, int channels, Asks asks, Duration reaction) {
  parts_.push_back({&part, channels_, asks, reaction});
  channels_ += channels;
  require(channels_ < own_timer.value(), "a GPU has too few channels for its parts");
  return parts_.back().before;
}

std::int64_t RequestQueue::requests_of(const fabric::Transaction& t) const {
  const auto each = is_posted(t) ? written_at_a_time : read_request_;
  return (t.bytes + each - Bytes{1}) / each;
}

std::int64_t RequestQueue::turns_of(const Asked& asked) const {
  const auto& t = asked.transaction;
  if (parts_[asked.part].asks == Asks::kernel) return kernel_turn * requests_of(t);
  if (!is_posted(t)) return kernel_turn * kernel_turns * requests_of(t);
  return engine_write_turn * ((t.bytes + engine_write - Bytes{1}) / engine_write);
}

void RequestQueue::ask(const Asked& asked) {
  auto& line = lines_[static_cast<std::size_t>(parts_[asked.part].asks)];
  line.waiting.emplace(std::pair{asked.transaction.ready, number_++}, asked);
}

bool RequestQueue::Line::ready(Instant now) const { return !waiting.empty() && waiting.begin()->first.first <= now; }

/// Of the lines where something is ready the one that has taken fewer turns; none where nothing is.
RequestQueue::Line* RequestQueue::next_line(Instant now) {
  Line* next = nullptr;
  for (auto& line : lines_)
    if (line.ready(now) && (next == nullptr || line.turns < next->turns)) next = &line;
  return next;
}

void RequestQueue::let_in(Instant now) {
  while (!freed_.empty() && freed_.begin()->first <= now) {
    used_ -= freed_.begin()->second;
    freed_.erase(freed_.begin());
  }
  while (auto* line = next_line(now)) {
    auto& asked = line->waiting.begin()->second;
    const auto requests = requests_of(asked.transaction);
    if (used_ > 0 && used_ + requests > entries) return;
    used_ += requests;
    line->turns += turns_of(asked);
    queue_.push_back(std::move(asked));
    line->waiting.erase(line->waiting.begin());
    // Nobody saves turns up while it has nothing to ask for.
    for (auto& other : lines_)
      if (!other.ready(now)) other.turns = std::max(other.turns, line->turns);
  }
}

void RequestQueue::let_go(Instant now, device::Outbox& out) {
  while (!queue_.empty() && next_ <= now) {
    const auto& asked = queue_.front();
    const bool of_kernel = parts_[asked.part].asks == Asks::kernel;
    auto t = asked.transaction;
    if (is_posted(t)) {
      if (of_kernel && next_store_ > now) {
        next_ = next_store_;
        return;
      }
      if (writing_ > Bytes{0} && writing_ + t.bytes > most_written) return;
      writing_ += t.bytes;
      if (write_rate_ > BitRate{}) next_ = now + t.bytes / write_rate_;
    } else {
      if (reading_ > 0 && reading_ + requests_of(t) > tags_) return;
      reading_ += requests_of(t);
      if (of_kernel) next_store_ = std::max(next_store_, now) + read_turn_;
    }
    const fabric::ChannelIndex channel{static_cast<std::uint16_t>(parts_[asked.part].before + asked.channel.value())};
    t.cookie = number_++;
    t.ready = now;
    under_way_.emplace(t.cookie, asked);
    queue_.pop_front();
    out.submit(channel, t);
  }
}

/// All that can be moved now, and the time at which more can without anything being over.
void RequestQueue::move(Instant now, device::Outbox& out) {
  let_in(now);
  let_go(now, out);
  auto then = never;
  for (const auto& line : lines_)
    if (!line.waiting.empty() && line.waiting.begin()->first.first > now)
      then = std::min(then, line.waiting.begin()->first.first);
  if (!freed_.empty()) then = std::min(then, freed_.begin()->first);
  if (!queue_.empty() && next_ > now) then = std::min(then, next_);
  if (then >= wakes_ && wakes_ > now) return;  // one wake-up at a time, or they would grow in number
  wakes_ = then;
  if (then < never) out.wake_at(own_timer, then);
}

void RequestQueue::start(device::Outbox& out) {
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    PartOutbox part{*this, n, out};
    parts_[n].endpoint->start(part);
  }
  move(Instant{}, out);
}

void RequestQueue::on_delivery(const fabric::Delivery& delivery, device::Outbox& out) {
  const auto found = under_way_.extract(delivery.cookie);
  require(!found.empty(), "a completion of an unknown request arrived at a request queue");
  const auto& [part, channel, transaction] = found.mapped();
  freed_.emplace(delivery.done + parts_[part].reaction, requests_of(transaction));
  if (is_posted(transaction))
    writing_ -= transaction.bytes;
  else
    reading_ -= requests_of(transaction);
  auto theirs = delivery;
  theirs.cookie = transaction.cookie;
  theirs.channel = channel;
  PartOutbox shell{*this, part, out};
  parts_[part].endpoint->on_delivery(theirs, shell);
  move(delivery.done, out);
}

void RequestQueue::on_wake(device::TimerId timer, Instant now, device::Outbox& out) {
  if (timer != own_timer) {
    auto part = parts_.size() - 1;
    while (parts_[part].before > timer.value()) --part;
    PartOutbox shell{*this, part, out};
    const auto theirs = static_cast<std::uint16_t>(timer.value() - parts_[part].before);
    parts_[part].endpoint->on_wake(device::TimerId{theirs}, now, shell);
  }
  move(now, out);
}

void RequestQueue::on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) {
  PartOutbox shell{*this, 0, out};
  parts_.front().endpoint->on_frame(port, frame, now, shell);
  move(now, out);
}

}  // namespace peerpath::gpu
