#include "transport/roce/requester.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::roce {

Duration rnr_wait(int code) {
  // In units of 10 us.
  constexpr std::array<std::int64_t, 32> table{65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                               48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                               2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return table[static_cast<std::size_t>(code & 31)] * std::chrono::microseconds{10};
}

Requester::Requester(const ConnectionAttributes& attributes)
    : attributes_{attributes}, retries_left_{attributes.retries}, rnr_left_{attributes.rnr_retries} {
  unacknowledged_ = next_ = sent_ = end_ = highest_received_ = attributes.first_psn;
}

void Requester::post(const WorkRequest& request) {
  if (error_) {
    completions_.push({request.id, WorkStatus::flushed, 0});
    return;
  }
  Message message{request, end_, 1};
  if (!is_atomic(request.work) && request.length > 0)
    message.packets = (request.length + attributes_.mtu - 1) / attributes_.mtu;
  end_ += message.packets;
  messages_.push(message);
}

bool Requester::can_send(Instant now) const {
  if (error_ || now < wait_until_) return false;
  if (hole()) return true;
  if (next_ == end_ || next_ - unacknowledged_ >= attributes_.window) return false;
  return !answers(messages_[cursor_].request.work) || reads_out_ < attributes_.reads;
}

/// Of selective repeat: the next packet below the highest received one that is still missing.
std::optional<std::uint64_t> Requester::hole() const {
  if (!recovering_) return std::nullopt;
  for (auto s = std::max(repeat_, unacknowledged_); s < std::min(highest_received_, next_); ++s) {
    const auto at = static_cast<std::size_t>(s - unacknowledged_);
    if (at >= received_.size() || !received_[at]) return s;
  }
  return std::nullopt;
}

const Requester::Message& Requester::message_at(std::uint64_t sequence, std::size_t from) const {
  while (end_of(messages_[from]) <= sequence) ++from;
  return messages_[from];
}

Requester::Outgoing Requester::next(Instant now) {
  if (expires_ == never) expires_ = now + attributes_.timeout;
  if (const auto missing = hole()) {
    repeat_ = *missing + 1;
    ++retransmissions_;
    return make(message_at(*missing, 0), *missing);
  }
  const auto& message = messages_[cursor_];
  auto out = make(message, next_);
  if (out.again) ++retransmissions_;
  if (answers(message.request.work)) {
    ++reads_out_;
    next_ = end_of(message);
  } else {
    ++next_;
  }
  if (next_ == end_of(message)) ++cursor_;
  sent_ = std::max(sent_, next_);
  return out;
}

Requester::Outgoing Requester::make(const Message& message, std::uint64_t sequence) {
  const auto& request = message.request;
  const auto number = sequence - message.first;
  const bool first = number == 0, last = number + 1 == message.packets;
  Outgoing out;
  out.request = request.id;
  out.again = sequence < sent_;
  out.first_byte = static_cast<std::uint32_t>(number * attributes_.mtu);
  auto& p = out.packet;
  p.destination_qp = attributes_.remote_qp;
  p.psn = static_cast<std::uint32_t>(sequence) & psn_mask;
  p.key = request.remote_key;
  p.address = request.remote_address + out.first_byte;
  p.immediate = request.immediate;
  const auto rest = request.length - out.first_byte;
  auto kind = Operation::send_first;
  if (is_atomic(request.work)) {
    kind = request.work == Work::fetch_add ? Operation::fetch_add : Operation::compare_swap;
    p.swap_or_add = request.swap_or_add;
    p.compare = request.compare;
    p.ack_request = true;
  } else if (request.work == Work::read) {
    kind = Operation::read_request;
    p.dma_length = rest;
    p.ack_request = true;
  } else {
    const bool write = request.work != Work::send;
    const bool immediate = request.work == Work::write_immediate;
    const auto base = write ? Operation::write_first : Operation::send_first;
    const int step = first && last ? 4 : first ? 0 : last ? 2 : 1;
    kind = static_cast<Operation>(static_cast<int>(base) + step + (immediate && last ? 1 : 0));
    p.length = last ? rest : attributes_.mtu;
    p.dma_length = rest;
    const bool closes = sequence + 1 == unacknowledged_ + attributes_.window;
    p.ack_request = last || closes || (number + 1) % attributes_.ack_every == 0;
  }
  p.opcode = opcode(Service::reliable_connection, kind);
  return out;
}

std::optional<Requester::Incoming> Requester::receive(const Packet& packet, Instant now) {
  if (error_) return std::nullopt;
  const auto distance = psn_distance(packet.psn, static_cast<std::uint32_t>(unacknowledged_) & psn_mask);
  if (distance < -1) return std::nullopt;
  const auto sequence = unacknowledged_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
  if (distance >= 0 && sequence >= sent_) return std::nullopt;
  if (packet.operation() == Operation::acknowledge) {
    if (!syndrome::is_ack(packet.syndrome))
      negative(packet, sequence, now);
    else if (distance >= 0)
      acknowledge(sequence + 1, now);
    return std::nullopt;
  }
  if (distance < 0) return std::nullopt;
  // An answer acknowledges all that was asked for before it.
  acknowledge(sequence, now);
  if (error_ || messages_.empty() || sequence < unacknowledged_) return std::nullopt;
  if (sequence > unacknowledged_) {
    if (rewound_at_ != unacknowledged_) rewind();
    return std::nullopt;
  }
  const auto front = messages_.front();
  if (!answers(front.request.work)) return std::nullopt;
  const auto first_byte = static_cast<std::uint32_t>((sequence - front.first) * attributes_.mtu);
  Incoming in{front.request.id, first_byte, packet.length};
  advance(sequence + 1);
  retries_left_ = attributes_.retries;
  expires_ = sent_ > unacknowledged_ ? now + attributes_.timeout : never;
  if (unacknowledged_ == end_of(front)) complete_front(WorkStatus::success, packet.swap_or_add);
  return in;
}

void Requester::negative(const Packet& packet, std::uint64_t sequence, Instant now) {
  if (psn_distance(packet.psn, static_cast<std::uint32_t>(unacknowledged_) & psn_mask) < 0) return;
  acknowledge(sequence, now);
  if (error_ || messages_.empty() || sequence != unacknowledged_) return;
  if (syndrome::is_rnr(packet.syndrome)) {
    if (attributes_.rnr_retries != 7 && rnr_left_-- == 0) return fail(WorkStatus::rnr_retry_exceeded);
    wait_until_ = now + rnr_wait(packet.syndrome);
    expires_ = wait_until_ + attributes_.timeout;
    return rewind();
  }
  switch (packet.syndrome) {
    case syndrome::invalid_request:
      return fail(WorkStatus::remote_invalid_request);
    case syndrome::remote_access:
      return fail(WorkStatus::remote_access_error);
    case syndrome::remote_operational:
      return fail(WorkStatus::remote_operational_error);
    default:
      break;
  }
  if (attributes_.recovery == Recovery::go_back_n) return rewind();
  const auto ahead = psn_distance(packet.msn, packet.psn);
  if (ahead <= 0) return;
  const auto at = static_cast<std::size_t>(ahead);
  while (received_.size() <= at) received_.push(0);
  received_[at] = 1;
  highest_received_ = std::max(highest_received_, unacknowledged_ + at);
  if (!recovering_) repeat_ = unacknowledged_;
  recovering_ = true;
}

/// Everything before `up_to` has arrived. A read or atomic is not over before its answer: what is acknowledged behind
/// it says that the answer was lost.
void Requester::acknowledge(std::uint64_t up_to, Instant now) {
  const auto before = unacknowledged_;
  while (!messages_.empty() && unacknowledged_ < up_to) {
    const auto front = messages_.front();
    if (answers(front.request.work)) {
      if (up_to > front.first && rewound_at_ != unacknowledged_ && up_to >= end_of(front)) rewind();
      break;
    }
    advance(std::min(up_to, end_of(front)));
    if (unacknowledged_ == end_of(front)) complete_front(WorkStatus::success, 0);
  }
  if (unacknowledged_ == before) return;
  retries_left_ = attributes_.retries;
  rnr_left_ = attributes_.rnr_retries;
  wait_until_ = Instant{};
  expires_ = sent_ > unacknowledged_ ? now + attributes_.timeout : never;
}

void Requester::advance(std::uint64_t to) {
  while (unacknowledged_ < to) {
    ++unacknowledged_;
    if (!received_.empty()) received_.pop();
  }
  if (unacknowledged_ >= highest_received_) recovering_ = false;
  if (next_ >= unacknowledged_) return;
  next_ = unacknowledged_;  // what was to be sent again has arrived after all
  while (cursor_ < messages_.size() && end_of(messages_[cursor_]) <= next_) ++cursor_;
}

void Requester::complete_front(WorkStatus status, std::uint64_t value) {
  const auto& front = messages_.front();
  if (answers(front.request.work) && reads_out_ > 0) --reads_out_;
  completions_.push({front.request.id, status, value});
  messages_.pop();
  if (cursor_ > 0) --cursor_;
}

/// Sends again from the first packet that is not acknowledged.
void Requester::rewind() {
  rewound_at_ = unacknowledged_;
  next_ = unacknowledged_;
  cursor_ = 0;
  reads_out_ = 0;
  recovering_ = false;
}

Instant Requester::deadline() const { return error_ || unacknowledged_ == sent_ ? never : expires_; }

void Requester::expire(Instant now) {
  if (now < deadline()) return;
  ++timeouts_;
  if (retries_left_-- == 0) return fail(WorkStatus::retry_exceeded);
  expires_ = now + attributes_.timeout;
  rewind();
}

void Requester::fail(WorkStatus status) {
  error_ = true;
  for (bool first = true; !messages_.empty(); first = false) {
    completions_.push({messages_.front().request.id, first ? status : WorkStatus::flushed, 0});
    messages_.pop();
  }
  expires_ = never;
}

}  // namespace peerpath::roce
