#include "transport/roce/responder.hpp"

#include <algorithm>

namespace peerpath::roce {
namespace {

constexpr std::size_t results_kept = 128;

bool carries_data(Operation o) { return is_send(o) || is_write(o); }
bool consumes_receive(Operation o) {
  return o == Operation::send_first || o == Operation::send_only || o == Operation::send_only_immediate ||
         o == Operation::write_last_immediate || o == Operation::write_only_immediate;
}

}  // namespace

void Responder::receive(const Packet& packet, Instant now) {
  if (error_) return;
  const auto distance = psn_distance(packet.psn, static_cast<std::uint32_t>(expected_) & psn_mask);
  const auto sequence = expected_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance));
  if (distance < 0)
    duplicate(packet, sequence);
  else if (distance > 0)
    ahead(packet, sequence);
  else
    in_order(packet, sequence, now);
}

/// Data is not placed again; a read is done again, an atomic is answered from memory.
void Responder::duplicate(const Packet& packet, std::uint64_t sequence) {
  const auto o = packet.operation();
  if (o == Operation::read_request) {
    if (!target_.allows(o, packet.key, packet.address, packet.dma_length))
      return refuse(syndrome::remote_access, sequence);
    // The requester will ask again for all that follows, too.
    while (!answers_.empty() && answers_.back().sequence >= sequence) answers_.pop_back();
    return read(packet, sequence);
  }
  if (is_atomic(o)) {
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (results_[i].sequence == sequence)
        answers_.push({.kind = Answer::Kind::atomic,
                       .syndrome = syndrome::ack,
                       .sequence = sequence,
                       .msn = msn_,
                       .value = results_[i].value});
    return;
  }
  acknowledge(expected_ - 1);
}

void Responder::ahead(const Packet& packet, std::uint64_t sequence) {
  ++out_of_order_;
  const bool keeps =
      attributes_.recovery == Recovery::selective_repeat && carries_data(packet.operation()) &&
      (receives_ == unlimited || (is_write(packet.operation()) && !consumes_receive(packet.operation())));
  const auto at = static_cast<std::size_t>(sequence - expected_);
  if (keeps && at < attributes_.window) {
    if (refused_) return;
    while (kept_.size() <= at) kept_.push({});
    if (!kept_[at].have) {
      if (!target_.allows(packet.operation(), packet.key, packet.address, packet.length)) return;
      kept_[at] = {true, packet};
      target_.place(packet, packet.address);
    }
    answers_.push({.kind = Answer::Kind::acknowledge,
                   .syndrome = syndrome::sequence_error,
                   .sequence = expected_,
                   .msn = msn_,
                   .cause = static_cast<std::uint32_t>(sequence) & psn_mask});
    return;
  }
  if (!refused_) refuse(syndrome::sequence_error, expected_);
  refused_ = true;
}

void Responder::in_order(const Packet& packet, std::uint64_t sequence, Instant now) {
  const auto o = packet.operation();
  if (!takes(packet)) {
    error_ = true;
    return refuse(syndrome::invalid_request, sequence);
  }
  if (consumes_receive(o) && receives_ == 0) {
    refused_ = true;  // what follows is dropped without a word
    return refuse(static_cast<std::uint8_t>(syndrome::rnr | attributes_.rnr_timer), sequence);
  }
  const bool names_memory = has_reth(o) || is_atomic(o);
  const auto length = is_atomic(o) ? 8u : packet.dma_length;
  if (names_memory && !target_.allows(o, packet.key, packet.address, length)) {
    error_ = true;
    return refuse(syndrome::remote_access, sequence);
  }
  refused_ = false;
  if (consumes_receive(o) && receives_ != unlimited) --receives_;
  if (o == Operation::read_request) {
    ++msn_;
    const auto packets = packets_of(packet.dma_length);
    expected_ += packets;
    for (std::uint64_t i = 0; i < packets && !kept_.empty(); ++i) kept_.pop();
    read(packet, sequence);
  } else {
    ++expected_;
    if (!kept_.empty()) kept_.pop();
    if (is_atomic(o)) {
      ++msn_;
      const auto was = target_.modify(packet);
      results_.push({sequence, was});
      if (results_.size() > results_kept) results_.pop();
      answers_.push(
          {.kind = Answer::Kind::atomic, .syndrome = syndrome::ack, .sequence = sequence, .msn = msn_, .value = was});
    } else {
      if (is_first(o)) address_ = is_write(o) ? packet.address : 0;
      target_.place(packet, address_);
      data(packet, now);
      if (packet.ack_request) acknowledge(sequence);
    }
  }
  take_kept(now);
}

/// Whether the packet may follow the one before it.
bool Responder::takes(const Packet& packet) {
  const auto o = packet.operation();
  if (o == Operation::read_request || is_atomic(o)) return inside_ == Inside::none;
  if (!carries_data(o) || packet.length > attributes_.mtu) return false;
  if (is_first(o)) return inside_ == Inside::none;
  return inside_ == (is_send(o) ? Inside::send : Inside::write);
}

/// A packet of a message counts, in order.
void Responder::data(const Packet& packet, Instant now) {
  const auto o = packet.operation();
  address_ += packet.length;
  inside_ = is_send(o) ? Inside::send : Inside::write;
  if (!is_last(o)) return;
  inside_ = Inside::none;
  ++msn_;
  target_.arrived(packet, now);
}

/// Packets that came before the one that was missing.
void Responder::take_kept(Instant now) {
  bool moved = false;
  while (!kept_.empty() && kept_.front().have) {
    const auto packet = kept_.front().packet;
    kept_.pop();
    ++expected_;
    if (is_first(packet.operation())) address_ = is_write(packet.operation()) ? packet.address : 0;
    data(packet, now);
    moved = true;
  }
  if (moved) acknowledge(expected_ - 1);
}

void Responder::read(const Packet& packet, std::uint64_t sequence) {
  answers_.push({.kind = Answer::Kind::read,
                 .syndrome = syndrome::ack,
                 .sequence = sequence,
                 .msn = msn_,
                 .address = packet.address,
                 .left = packet.dma_length});
}

/// One acknowledgement that waits is enough.
void Responder::acknowledge(std::uint64_t sequence) {
  const bool waits = !answers_.empty() && answers_.back().kind == Answer::Kind::acknowledge &&
                     answers_.back().syndrome == syndrome::ack;
  auto& answer = waits ? answers_.back() : answers_.push({});
  answer = {.kind = Answer::Kind::acknowledge, .syndrome = syndrome::ack, .sequence = sequence, .msn = msn_};
}

void Responder::refuse(std::uint8_t syndrome, std::uint64_t sequence) {
  answers_.push({.kind = Answer::Kind::acknowledge,
                 .syndrome = syndrome,
                 .sequence = sequence,
                 .msn = msn_,
                 .cause = static_cast<std::uint32_t>(sequence) & psn_mask});
}

Responder::Outgoing Responder::next() {
  auto& answer = answers_.front();
  Outgoing out;
  auto& p = out.packet;
  p.destination_qp = attributes_.remote_qp;
  p.psn = static_cast<std::uint32_t>(answer.sequence) & psn_mask;
  p.syndrome = answer.syndrome;
  const bool selective = attributes_.recovery == Recovery::selective_repeat;
  p.msn = selective && answer.syndrome == syndrome::sequence_error ? answer.cause : answer.msn;
  auto kind = Operation::acknowledge;
  bool over = true;
  if (answer.kind == Answer::Kind::atomic) {
    kind = Operation::atomic_acknowledge;
    p.swap_or_add = answer.value;
  } else if (answer.kind == Answer::Kind::read) {
    p.length = std::min(answer.left, attributes_.mtu);
    out.address = answer.address;
    answer.left -= p.length;
    answer.address += p.length;
    ++answer.sequence;
    over = answer.left == 0;
    kind = over ? (answer.begun ? Operation::read_response_last : Operation::read_response_only)
                : (answer.begun ? Operation::read_response_middle : Operation::read_response_first);
    answer.begun = true;
  }
  p.opcode = opcode(Service::reliable_connection, kind);
  if (over) answers_.pop();
  return out;
}

}  // namespace peerpath::roce
