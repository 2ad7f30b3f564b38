#include "validation/gpunet/verbs/messages.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace peerpath::gpunet {
namespace {

constexpr std::align_val_t page{4096};

/// The word beside a message: credits above what it is.
constexpr std::uint32_t kind_bits = 8, kind_mask = (1u << kind_bits) - 1;

}  // namespace

verbs::Result<std::unique_ptr<Messages>> Messages::open(const std::string& device,
                                                        const std::shared_ptr<DirectMemory>& direct) {
  constexpr std::size_t bytes = std::size_t{2 * slots + spare} * slot_bytes;
  Memory memory{new (page) unsigned char[bytes], [](unsigned char* at) { ::operator delete[](at, page); }};
  auto pair = verbs::QueuePair::open(device, {.bytes = {memory.get(), bytes}});
  if (!pair) return tl::unexpected{pair.error()};
  int slice = direct ? direct->take() : -1;
  if (slice >= 0) {
    const auto added = pair->add({.bytes = {direct->base(), direct->all_bytes()}, .dmabuf = direct->dmabuf()});
    if (!added) {
      direct->refuse(added.error().what);
      direct->give(slice);
      slice = -1;
    }
  }
  return std::unique_ptr<Messages>{new Messages{std::move(memory), std::move(*pair), direct, slice}};
}

Messages::Messages(Memory memory, verbs::QueuePair pair, std::shared_ptr<DirectMemory> direct, int slice)
    : memory_{std::move(memory)}, pair_{std::move(pair)}, direct_{std::move(direct)}, slice_{slice} {
  for (std::uint64_t slot = 0; slot < slots; ++slot) free_.push_back(slot);
}

Messages::~Messages() {
  pair_.close();  // before somebody else has its memory
  if (slice_ >= 0) direct_->give(slice_);
}

verbs::Result<void> Messages::connect(const verbs::Endpoint& there) {
  if (auto connected = pair_.connect(there); !connected) return connected;
  for (std::uint64_t slot = 0; slot < slots + spare; ++slot)
    if (!expect(slot)) return tl::unexpected{verbs::Problem{"receives could not be posted"}};
  return {};
}

bool Messages::expect(std::uint64_t slot) {
  const bool direct = slice_ >= 0;
  const auto offset = direct ? direct_->slot_offset(slice_, static_cast<std::uint32_t>(slot))
                             : static_cast<std::uint64_t>(inbound(slot) - memory_.get());
  const bool posted = pair_.post_receive(slot, {offset, slot_bytes, direct}).has_value();
  broken_ |= !posted;
  return posted;
}

void Messages::post(Kind kind, std::uint64_t id, verbs::QueuePair::Piece piece) {
  const auto word = owed_ << kind_bits | static_cast<std::uint32_t>(kind);
  if (!pair_.post_message(id, piece, word)) broken_ = true;
  owed_ = 0;
  ++under_way_;
}

void Messages::came(const verbs::Completion& completion) {
  credits_ += completion.immediate >> kind_bits;
  const auto kind = static_cast<Kind>(completion.immediate & kind_mask);
  if (kind == Kind::bytes) return came_.push_back({.slot = completion.id, .bytes = completion.bytes});
  end_came_ |= kind == Kind::end;
  expect(completion.id);
}

void Messages::poll() {
  while (!broken_) {
    const auto completion = pair_.poll();
    if (!completion) return;
    broken_ = completion->failed;
    if (completion->failed) return;
    if (completion->received) {
      came(*completion);
      continue;
    }
    has_gone(completion->id);
  }
}

void Messages::has_gone(std::uint64_t id) {
  --under_way_;
  if (id < no_slot) return free_.push_back(id);
  if (id >= first_direct) sent_[id - first_direct - sent_before_].over = true;
}

bool Messages::send_direct(const iovec& piece, std::size_t& at) {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(slot_bytes, piece.iov_len - at));
  const auto* from = static_cast<const unsigned char*>(piece.iov_base) + at;
  post(Kind::bytes, first_direct + sent_before_ + sent_.size(), {direct_->offset_of(from), size, true});
  sent_.push_back({.bytes = size});
  at += size;
  return true;
}

bool Messages::send_one(std::span<const iovec> pieces, std::size_t& piece, std::size_t& at) {
  const auto is_direct = [&](const iovec& one) { return slice_ >= 0 && direct_->holds(one.iov_base); };
  if (is_direct(pieces[piece])) {
    send_direct(pieces[piece], at);
    if (at == pieces[piece].iov_len) ++piece, at = 0;
    return true;
  }
  if (free_.empty()) return false;
  const auto slot = free_.back();
  std::uint32_t bytes = 0;
  while (piece < pieces.size() && bytes < slot_bytes && !is_direct(pieces[piece])) {
    const auto size = std::min<std::size_t>(slot_bytes - bytes, pieces[piece].iov_len - at);
    std::memcpy(outbound(slot) + bytes, static_cast<const unsigned char*>(pieces[piece].iov_base) + at, size);
    bytes += static_cast<std::uint32_t>(size);
    at += size;
    if (at == pieces[piece].iov_len) ++piece, at = 0;
  }
  if (bytes == 0) return false;
  free_.pop_back();
  post(Kind::bytes, slot, {static_cast<std::uint64_t>(outbound(slot) - memory_.get()), bytes});
  sent_.push_back({.bytes = bytes, .over = true});
  return true;
}

std::int64_t Messages::send(std::span<const iovec> pieces) {
  poll();
  if (broken_ || ended_) return -EPIPE;
  std::size_t piece = 0, at = 0;
  for (const auto& sent : sent_)  // it is under way
    for (auto left = sent.bytes; left > 0 && piece < pieces.size();) {
      const auto size = std::min<std::size_t>(left, pieces[piece].iov_len - at);
      left -= size, at += size;
      if (at == pieces[piece].iov_len) ++piece, at = 0;
    }
  while (piece < pieces.size() && credits_ > 0 && !broken_ && send_one(pieces, piece, at)) --credits_;
  std::int64_t total = 0;
  for (; !sent_.empty() && sent_.front().over; ++sent_before_) {
    total += static_cast<std::int64_t>(sent_.front().bytes);
    sent_.pop_front();
  }
  return total > 0 ? total : -EAGAIN;
}

std::int64_t Messages::receive_direct(std::uint32_t& slot) {
  poll();
  if (came_.empty()) return end_came_ ? 0 : broken_ ? -ECONNRESET : -EAGAIN;
  slot = static_cast<std::uint32_t>(came_.front().slot);
  const auto bytes = came_.front().bytes;
  came_.pop_front();
  return bytes;
}

void Messages::give_back(std::uint64_t slot) {
  if (!expect(slot)) return;
  if (++owed_ >= slots / 2) post(Kind::credit, no_slot, {});
}

std::int64_t Messages::receive(std::span<const iovec> pieces) {
  poll();
  std::int64_t total = 0;
  for (const auto& piece : pieces)
    for (std::size_t at = 0; at < piece.iov_len && !came_.empty();) {
      auto& first = came_.front();
      const auto size = std::min<std::size_t>(piece.iov_len - at, first.bytes - first.taken);
      std::memcpy(static_cast<unsigned char*>(piece.iov_base) + at, inbound(first.slot) + first.taken, size);
      at += size;
      first.taken += static_cast<std::uint32_t>(size);
      total += static_cast<std::int64_t>(size);
      if (first.taken < first.bytes) continue;
      const auto slot = first.slot;
      came_.pop_front();
      give_back(slot);
    }
  if (total > 0) return total;
  if (end_came_) return 0;
  return broken_ ? -ECONNRESET : -EAGAIN;
}

void Messages::end() {
  if (ended_) return;
  ended_ = true;
  post(Kind::end, no_slot, {});
}

bool Messages::settled() {
  poll();
  return broken_ || under_way_ == 0;
}

}  // namespace peerpath::gpunet
