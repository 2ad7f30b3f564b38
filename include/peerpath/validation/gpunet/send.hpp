// gsend: how bytes of a block get into the entries and the ring of a socket.
#pragma once

#include "peerpath/validation/gpunet/wait.hpp"

namespace peerpath::gpunet {

inline constexpr int dont_wait = 1;  ///< flag of gsend and grecv: EAGAIN in place of waiting

namespace detail {

/// Thread 0 takes over what the proxy has sent; returns why sending is over, or 0.
template <Threadblock Block>
constexpr int refresh(Block& block, SocketState& state, std::uint32_t slot) {
  const auto word = block.load(block.net().sent + slot);
  state.out_sent = static_cast<std::uint32_t>(word);
  state.out_begin = state.out_sent + 1 == state.out_next ? state.out_position : state.out_end[state.out_sent % entries];
  return error_of(word);
}

/// ECONNRESET is returned once, by whichever call comes first; later ones of a sender get EPIPE.
constexpr int take_send_error(SocketState& state, int error) {
  if (error != ECONNRESET) return EPIPE;
  if (state.error_taken != 0) return EPIPE;
  state.error_taken = 1;
  return ECONNRESET;
}

/// Bytes that thread 0 may send by the next entry, at most `wanted`; 0: none now; negative errno.
template <Threadblock Block>
constexpr std::int64_t room(Block& block, SocketState& state, std::uint32_t slot, std::uint64_t wanted, bool wait) {
  const auto ring = block.net().size.ring_bytes;
  const bool in_ring = wanted > inline_bytes;
  const auto most = ring / 8 < most_piece ? ring / 8 : most_piece;
  const auto piece = wanted < most ? wanted : most;  // the proxy sends one while the next is written
  Patience patience{block};
  for (bool fresh = false;; fresh = true) {
    if (fresh)
      if (const int error = refresh(block, state, slot)) return -take_send_error(state, error);
    const bool entry = state.out_next - state.out_sent <= entries;
    const auto used = aligned(state.out_position) - state.out_begin;
    const auto free = used < ring ? ring - used : 0;
    if (entry && (!in_ring || free >= piece)) return static_cast<std::int64_t>(piece);
    if (fresh && !wait) return entry ? static_cast<std::int64_t>(free) : 0;
    if (fresh)
      if (const int error = patience.look_again()) return -error;
  }
}

template <Threadblock Block>
constexpr void put_inline(Block& block, std::uint32_t slot, std::uint32_t number, const unsigned char* data,
                          std::uint32_t size) {
  auto& entry = block.net().entry_out(slot, number);
  for (std::uint32_t w = block.thread(); w < entry_words; w += block.threads()) {
    std::uint32_t content = w == 0 ? pack({Kind::inlined, size}) : 0;
    if (w > 0)
      for (std::uint32_t i = 0, at = 4 * (w - 1); i < 4 && at + i < size; ++i)
        content |= std::uint32_t{data[at + i]} << 8 * i;
    block.put(&entry.words[w], entry_word(number, content));
  }
}

template <Threadblock Block>
constexpr void put_in_ring(Block& block, unsigned char* base, std::uint64_t position, const unsigned char* data,
                           std::uint64_t size) {
  const auto ring = block.net().size.ring_bytes;
  const auto at = position & (ring - 1);
  const auto first = size < ring - at ? size : ring - at;
  block.put_bytes(base + at, data, first);
  if (first < size) block.put_bytes(base, data + first, size - first);
}

/// Sends `size` bytes, for which there is room, as one entry.
template <Threadblock Block>
constexpr void send_piece(Block& block, SocketState& state, std::uint32_t slot, const unsigned char* data,
                          std::uint64_t size) {
  const auto number = state.out_next;
  const auto start = aligned(state.out_position);
  const bool small = size <= inline_bytes;
  if (small)
    put_inline(block, slot, number, data, static_cast<std::uint32_t>(size));
  else
    put_in_ring(block, block.net().ring_out(slot, state.connected), start, data, size);
  block.sync();
  if (block.thread() == 0) {
    const auto length = static_cast<std::uint32_t>(size);
    const auto kind = state.connected > 1 ? Kind::direct : Kind::ring;
    if (!small) block.publish(&block.net().entry_out(slot, number).words[0], entry_word(number, pack({kind, length})));
    if (!small) state.out_position = start + size;
    state.out_end[number % entries] = state.out_position;
    state.out_next = number + 1;
  }
  block.sync();
}

/// By thread 0, at the end of a gsend: whether the last entry was refused. Read while the entry is under way.
template <Threadblock Block>
constexpr int refused(Block& block, SocketState& state, std::uint32_t slot) {
  const auto word = block.load(block.net().sent + slot);
  const int error = error_of(word);
  const auto last = state.out_next - 1;
  const bool sent = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) - last) >= 0;
  return error != 0 && !sent ? take_send_error(state, error) : 0;
}

/// By thread 0: what a send gets after the program's own shutdown.
template <Threadblock Block>
constexpr int shut_error(Block& block, SocketState& state, std::uint32_t slot) {
  return take_send_error(state, error_of(block.load(block.net().sent + slot)));
}

}  // namespace detail

/// Sends `size` bytes of memory that the block can read; all threads, same arguments. Waits until the last byte is on
/// its way to the proxy, unless the socket or `flags` says not to. Bytes sent, fewer than `size` only if not waiting or
/// broken off; or a negative errno as of send(2) with MSG_NOSIGNAL.
template <Threadblock Block>
constexpr std::int64_t gsend(Block& block, int descriptor, const void* data, std::uint64_t size, int flags = 0) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  if (const int error = detail::ask_if_connected(block, *state, descriptor, Operation::send)) return error;
  const auto slot = slot_of(descriptor);
  if (state->send_shut) return detail::tell(block, block.thread() == 0 ? -detail::shut_error(block, *state, slot) : 0);
  const bool wait = state->waits && (flags & dont_wait) == 0;
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t done = 0;
  while (done < size) {
    const auto left = size - done;
    std::int64_t piece = static_cast<std::int64_t>(left);
    // The common case of a short message with an entry free needs no word from thread 0.
    if (left > inline_bytes || state->out_next - state->out_sent > entries) {
      block.sync();  // all threads have read `out_sent`, which `room` changes: they must choose the same branch
      piece = detail::tell(block, block.thread() == 0 ? detail::room(block, *state, slot, left, wait) : 0);
    }
    if (piece < 0) return done ? static_cast<std::int64_t>(done) : piece;
    if (piece == 0) return done ? static_cast<std::int64_t>(done) : -EAGAIN;
    detail::send_piece(block, *state, slot, bytes + done, static_cast<std::uint64_t>(piece));
    done += static_cast<std::uint64_t>(piece);
    if (done < size) continue;
    const auto error = detail::tell(block, block.thread() == 0 ? detail::refused(block, *state, slot) : 0);
    if (error == 0) continue;
    done -= static_cast<std::uint64_t>(piece);
    return done ? static_cast<std::int64_t>(done) : -error;
  }
  return static_cast<std::int64_t>(done);
}

}  // namespace peerpath::gpunet
