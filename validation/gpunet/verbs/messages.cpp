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

verbs::Result<std::unique_ptr<Messages>> Messages::open(const std::string& device) {
  constexpr std::size_t bytes = std::size_t{2 * slots + spare} * slot_bytes;
  Memory memory{new (page) unsigned char[bytes], [](unsigned char* at) { ::operator delete[](at, page); }};
  auto pair = verbs::QueuePair::open(device, {.bytes = {memory.get(), bytes}});
  if (!pair) return tl::unexpected{pair.error()};
  return std::unique_ptr<Messages>{new Messages{std::move(memory), std::move(*pair)}};
}

Messages::Messages(Memory memory, verbs::QueuePair pair) : memory_{std::move(memory)}, pair_{std::move(pair)} {
  for (std::uint64_t slot = 0; slot < slots; ++slot) free_.push_back(slot);
}

verbs::Result<void> Messages::connect(const verbs::Endpoint& there) {
  if (auto connected = pair_.connect(there); !connected) return connected;
  for (std::uint64_t slot = 0; slot < slots + spare; ++slot)
    if (!expect(slot)) return tl::unexpected{verbs::Problem{"receives could not be posted"}};
  return {};
}

bool Messages::expect(std::uint64_t slot) {
  const auto offset = static_cast<std::uint64_t>(inbound(slot) - memory_.get());
  const bool posted = pair_.post_receive(slot, offset, slot_bytes).has_value();
  broken_ |= !posted;
  return posted;
}

void Messages::post(Kind kind, std::uint64_t slot, std::uint32_t bytes) {
  const auto word = owed_ << kind_bits | static_cast<std::uint32_t>(kind);
  const auto offset = slot == no_slot ? 0 : static_cast<std::uint64_t>(outbound(slot) - memory_.get());
  if (!pair_.post_message(slot, offset, bytes, word)) broken_ = true;
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
    --under_way_;
    if (completion->id != no_slot) free_.push_back(completion->id);
  }
}

std::int64_t Messages::send(std::span<const iovec> pieces) {
  poll();
  if (broken_ || ended_) return -EPIPE;
  std::int64_t total = 0;
  std::size_t piece = 0, at = 0;
  while (piece < pieces.size() && credits_ > 0 && !free_.empty()) {
    const auto slot = free_.back();
    std::uint32_t bytes = 0;
    while (piece < pieces.size() && bytes < slot_bytes) {
      const auto size = std::min<std::size_t>(slot_bytes - bytes, pieces[piece].iov_len - at);
      std::memcpy(outbound(slot) + bytes, static_cast<const unsigned char*>(pieces[piece].iov_base) + at, size);
      bytes += static_cast<std::uint32_t>(size);
      at += size;
      if (at == pieces[piece].iov_len) ++piece, at = 0;
    }
    if (bytes == 0) break;
    free_.pop_back();
    --credits_;
    post(Kind::bytes, slot, bytes);
    total += bytes;
  }
  return total > 0 ? total : -EAGAIN;
}

void Messages::give_back(std::uint64_t slot) {
  if (!expect(slot)) return;
  if (++owed_ >= slots / 2) post(Kind::credit, no_slot, 0);
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
  post(Kind::end, no_slot, 0);
}

bool Messages::settled() {
  poll();
  return broken_ || under_way_ == 0;
}

}  // namespace peerpath::gpunet
