// grecv: how a block takes bytes from the entries and the ring of a socket.
#pragma once

#include "peerpath/validation/gpunet/send.hpp"

namespace peerpath::gpunet {
namespace detail {

/// The next entry into shared memory, by all threads: as many as an entry has words look at a word each, until all are
/// valid. 0: not there; 1: there; or a negative errno.
template <Threadblock Block>
constexpr int fetch(Block& block, std::uint32_t slot, std::uint32_t number, bool wait) {
  const auto& entry = block.net().entry_in(slot, number);
  int missing = 0;
  for (std::uint32_t w = block.thread(); w < entry_words && missing == 0; w += block.threads()) {
    Patience patience{block};
    auto word = block.load(&entry.words[w]);
    while (number_of(word) != number && missing == 0) {
      missing = wait ? patience.look_again() : EAGAIN;
      if (missing == 0) word = block.load(&entry.words[w]);
    }
    block.shared().line[w] = content_of(word);
  }
  if (!block.any(missing != 0)) return 1;
  if (!wait) return 0;
  return block.any(missing == ECONNABORTED) ? -ECONNABORTED : -ETIMEDOUT;
}

/// Bytes `from` on of an entry in the ring.
template <Threadblock Block>
constexpr void get_from_ring(Block& block, std::uint32_t slot, std::uint64_t position, unsigned char* data,
                             std::uint64_t size) {
  const auto ring = block.net().size.ring_bytes;
  const auto* base = block.net().in_ring + slot * ring;
  const auto at = position & (ring - 1);
  const auto first = size < ring - at ? size : ring - at;
  block.get_bytes(data, base + at, first);
  if (first < size) block.get_bytes(data + first, base, size - first);
}

/// By thread 0, when an entry was taken whole: goes on to the next, and tells the proxy once a quarter is free.
template <Threadblock Block>
constexpr void next_entry(Block& block, SocketState& state, std::uint32_t slot, Header header) {
  if (header.kind == Kind::ring) state.in_position = aligned(state.in_position) + header.length;
  state.in_offset = 0;
  const auto taken = state.in_next++;
  const bool many = taken - state.in_reported >= entries / 4;
  if (!many && state.in_position - state.in_reported_position < block.net().size.ring_bytes / 4) return;
  state.in_reported = taken;
  state.in_reported_position = state.in_position;
  block.publish(block.net().taken + slot, taken);
}

/// By thread 0: what a receive returns at the end of the stream: an error once, whichever call comes first.
template <Threadblock Block>
constexpr std::int64_t end_of(Block& block, SocketState& state, std::uint32_t slot, Header header) {
  if (state.error_taken != 0) return 0;
  const auto late = late_error_of(block.load(block.net().sent + slot));
  const auto error = header.length != 0 ? static_cast<std::int64_t>(header.length) : late;
  state.error_taken = error != 0;
  return -error;
}

/// Takes at most `size` bytes of the entry in shared memory; returns how many.
template <Threadblock Block>
constexpr std::uint64_t take(Block& block, SocketState& state, std::uint32_t slot, unsigned char* data,
                             std::uint64_t size) {
  const auto header = unpack(block.shared().line[0]);
  const auto offset = state.in_offset;
  const auto place = direct_place(header.length);
  const std::uint64_t left = (header.kind == Kind::direct ? place.bytes : header.length) - offset;
  const auto count = size < left ? size : left;
  if (header.kind == Kind::inlined) {
    for (auto i = std::uint64_t{block.thread()}; i < count; i += block.threads())
      data[i] = static_cast<unsigned char>(block.shared().line[1 + (offset + i) / 4] >> 8 * ((offset + i) % 4));
  } else if (header.kind == Kind::direct) {
    const auto* slice = block.net().direct_in + (state.connected - 2) * direct_in_bytes;
    block.get_bytes(data, slice + place.slot * direct_slot_bytes + offset, count);
  } else {
    get_from_ring(block, slot, aligned(state.in_position) + offset, data, count);
  }
  block.sync();
  if (block.thread() == 0) {
    if (count == left)
      next_entry(block, state, slot, header);
    else
      state.in_offset = static_cast<std::uint32_t>(offset + count);
  }
  block.sync();
  return count;
}

}  // namespace detail

/// Receives at most `size` bytes into memory that the block can write; all threads, same arguments. Waits for the first
/// byte, unless the socket or `flags` says not to; takes what is there. 0 at the end of the stream; or a negative errno
/// as of recv(2).
template <Threadblock Block>
constexpr std::int64_t grecv(Block& block, int descriptor, void* data, std::uint64_t size, int flags = 0) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  if (const int error = detail::ask_if_connected(block, *state, descriptor, Operation::receive)) return error;
  const auto slot = slot_of(descriptor);
  const bool wait = state->waits && (flags & dont_wait) == 0;
  auto* bytes = static_cast<unsigned char*>(data);
  std::uint64_t done = 0;
  while (done < size) {
    const int found = detail::fetch(block, slot, state->in_next, wait && done == 0);
    if (found < 0) return found;
    if (found == 0) return done ? static_cast<std::int64_t>(done) : -EAGAIN;
    const auto header = unpack(block.shared().line[0]);
    if (header.kind == Kind::end) {
      if (done) break;
      return detail::tell(block, block.thread() == 0 ? detail::end_of(block, *state, slot, header) : 0);
    }
    done += detail::take(block, *state, slot, bytes + done, size - done);
  }
  block.sync();
  return static_cast<std::int64_t>(done);
}

/// Receives `size` bytes, in as many calls as it takes. Fewer only at the end of the stream.
template <Threadblock Block>
constexpr std::int64_t grecv_all(Block& block, int descriptor, void* data, std::uint64_t size) {
  std::uint64_t done = 0;
  while (done < size) {
    const auto got = grecv(block, descriptor, static_cast<unsigned char*>(data) + done, size - done);
    if (got < 0 && done == 0) return got;
    if (got <= 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

}  // namespace peerpath::gpunet
