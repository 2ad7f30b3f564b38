// The memory that a GPU and its proxy share, and who writes what in it.
//
// All of it but SocketState and rings that a NIC reaches lies in pinned host memory that the GPU maps. Each word has
// one writer. A flag is read with acquire and written with release at system scope, unless it carries its data in the
// same 8 bytes.
#pragma once

#include <cstdint>

#include "peerpath/validation/gpunet/address.hpp"

namespace peerpath::gpunet {

inline constexpr std::uint32_t entry_words = 32;                      ///< one read of a warp: 256 B
inline constexpr std::uint32_t entries = 32;                          ///< of a socket, for each direction
inline constexpr std::uint32_t inline_bytes = 4 * (entry_words - 1);  ///< most that travel in the entry itself
inline constexpr std::uint64_t ring_alignment = 128;                  ///< of each piece in a ring, in bytes
inline constexpr std::uint64_t most_piece = std::uint64_t{1} << 17;   ///< bytes of the ring in one entry of the GPU

/// What an entry announces. It travels in the first word, with the length.
enum class Kind : std::uint32_t {
  inlined = 1,  ///< bytes that follow in the other words
  ring = 2,     ///< bytes in the ring, from the next multiple of ring_alignment on
  end = 3,      ///< no bytes will follow; the length is an errno, 0 at a clean end
  direct = 4,   ///< bytes in GPU memory, where a NIC takes and puts them: see DirectPlace
};

struct Header {
  Kind kind = Kind::inlined;
  std::uint32_t length = 0;
};

constexpr std::uint32_t pack(Header header) { return static_cast<std::uint32_t>(header.kind) << 29 | header.length; }
constexpr Header unpack(std::uint32_t word) { return {static_cast<Kind>(word >> 29), word & 0x1fffffffu}; }

/// GPU memory that a NIC reaches is cut into slices, one for a connection: a ring for what the GPU sends, laid out as
/// the one in host memory, and slots into which the NIC receives a message each.
inline constexpr std::uint32_t direct_slots = 32, direct_slot_bytes = 32768;
inline constexpr std::uint64_t direct_in_bytes = std::uint64_t{direct_slots} * direct_slot_bytes;

/// The length of an entry that announces a received message: its slot, too.
struct DirectPlace {
  std::uint32_t slot = 0, bytes = 0;
};
constexpr std::uint32_t pack(DirectPlace place) { return place.slot << 20 | place.bytes; }
constexpr DirectPlace direct_place(std::uint32_t length) { return {length >> 20, length & 0xfffffu}; }

/// One step of a stream. Each word is 4 bytes of content and, in its upper half, the number of the entry: a word is
/// valid by itself, in whatever order the words arrive. Numbers start at 1 and never go back for a slot.
struct Entry {
  std::uint64_t words[entry_words];
};

constexpr std::uint64_t entry_word(std::uint32_t number, std::uint32_t content) {
  return std::uint64_t{number} << 32 | content;
}
constexpr std::uint32_t number_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t content_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
constexpr std::uint64_t aligned(std::uint64_t position) {
  return (position + ring_alignment - 1) & ~(ring_alignment - 1);
}

enum class Operation : std::uint32_t { socket = 1, bind, listen, accept, connect, shutdown, close, send, receive };

/// What a block asks of the proxy: everything but the data of a connected socket. The block writes the upper part, then
/// its word of `calls_made`; the proxy the lower part, then `calls_answered`.
struct Call {
  Operation operation = Operation::socket;
  std::int32_t descriptor = 0;
  std::uint32_t argument = 0;
  std::uint32_t wait = 0;       ///< 0: EAGAIN in place of waiting
  std::uint32_t in_next = 0;    ///< close: the first entry that was not taken whole
  std::uint32_t in_offset = 0;  ///< close: bytes taken of it
  std::uint32_t out_next = 0;   ///< close: the number after the last entry sent
  Address address;

  std::int32_t result = 0;      ///< a descriptor, 0, or an errno, negative
  std::uint32_t connected = 0;  ///< data can flow from here on: 1; with a slice of GPU memory 2 and its number
  std::uint32_t next_in = 0, next_out = 0;  ///< numbers of the first entries of a new socket
  Address peer;
};

/// A word of `calls_made`: a running number, and whose thread of the proxy is meant: that of a slot, or of the block.
constexpr std::uint64_t made_word(std::uint64_t number, const Call& call, std::uint32_t block) {
  const bool makes_one = call.operation == Operation::socket || call.operation == Operation::accept;
  const auto about = makes_one ? block : static_cast<std::uint32_t>(call.descriptor) & 0xffffu;
  return number << 16 | about;
}
constexpr std::uint64_t number_made(std::uint64_t word) { return word >> 16; }
constexpr std::uint32_t about_made(std::uint64_t word) { return static_cast<std::uint32_t>(word & 0xffffu); }

/// What the proxy tells of a socket in one word: entries it has sent, why sending is over, and an error that came after
/// the end of the stream was announced.
constexpr std::uint64_t sent_word(std::uint32_t entry, int error, int late = 0) {
  return std::uint64_t{static_cast<std::uint16_t>(late)} << 48 |
         std::uint64_t{static_cast<std::uint16_t>(error)} << 32 | entry;
}
constexpr int late_error_of(std::uint64_t sent) { return static_cast<int>(sent >> 48); }
constexpr int error_of(std::uint64_t sent) { return static_cast<int>(sent >> 32 & 0xffffu); }

/// A socket as the GPU knows it, in GPU memory. One block may send while another one receives.
struct SocketState {
  std::uint32_t generation = 0;                ///< 0: not open
  std::uint32_t waits = 1;                     ///< blocking
  std::uint32_t connected = 0, send_shut = 0;  ///< connected: as the proxy's answer
  std::uint32_t error_taken = 0;               ///< the one ECONNRESET was returned
  std::uint32_t out_next = 0, out_sent = 0;
  std::uint32_t in_next = 0, in_offset = 0, in_reported = 0;
  std::uint64_t out_position = 0, out_begin = 0;
  std::uint64_t in_position = 0, in_reported_position = 0;
  std::uint64_t out_end[entries] = {};  ///< ring position behind each entry under way
};

struct Dimensions {
  std::uint32_t sockets = 64;
  std::uint32_t blocks = 64;  ///< most blocks of a grid
  /// Of each direction of a socket, a power of two. One that a processor core's second-level cache holds is slower
  /// where a single stream lasts: the GPU's accesses then meet lines that this core holds. With many sockets 64 KiB
  /// serve well.
  std::uint64_t ring_bytes = std::uint64_t{1} << 22;
};

/// The shared memory as one side sees it: addresses differ between GPU and CPU, offsets do not.
struct Net {
  Dimensions size;
  std::uint64_t most_wait_ns = 0;           ///< of a call that waits, then ETIMEDOUT; 0: no limit
  std::uint64_t* calls_made = nullptr;      ///< [blocks], by the GPU
  std::uint64_t* taken = nullptr;           ///< [sockets], by the GPU: entries read
  std::uint64_t* calls_answered = nullptr;  ///< [blocks], by the proxy
  std::uint64_t* sent = nullptr;            ///< [sockets], by the proxy: sent_word
  std::uint64_t* stop = nullptr;            ///< by the host: every wait ends with ECONNABORTED
  Call* calls = nullptr;                    ///< [blocks]
  Entry* out = nullptr;                     ///< [sockets][entries], by the GPU
  Entry* in = nullptr;                      ///< [sockets][entries], by the proxy
  unsigned char* out_ring = nullptr;        ///< [sockets][ring_bytes], by the GPU
  unsigned char* in_ring = nullptr;         ///< [sockets][ring_bytes], by the proxy
  SocketState* state = nullptr;             ///< [sockets], GPU memory
  unsigned char* direct_out = nullptr;      ///< [slices][ring_bytes], GPU memory, by the GPU; null: no NIC reaches it
  unsigned char* direct_in = nullptr;       ///< [slices][direct_in_bytes], GPU memory, by the NIC

  constexpr Entry& entry_out(std::uint32_t slot, std::uint32_t number) const {
    return out[slot * entries + number % entries];
  }
  constexpr Entry& entry_in(std::uint32_t slot, std::uint32_t number) const {
    return in[slot * entries + number % entries];
  }
  /// Where a socket's large pieces to the proxy go. `connected`: see Call.
  constexpr unsigned char* ring_out(std::uint32_t slot, std::uint32_t connected) const {
    return connected > 1 ? direct_out + (connected - 2) * size.ring_bytes : out_ring + slot * size.ring_bytes;
  }
};

/// A descriptor holds the slot and the generation of its socket: one that was closed is not taken for its successor.
constexpr int descriptor_of(std::uint32_t slot, std::uint32_t generation) {
  return static_cast<int>(generation << 16 | slot);
}
constexpr std::uint32_t slot_of(int descriptor) { return static_cast<std::uint32_t>(descriptor) & 0xffffu; }
constexpr std::uint32_t generation_of(int descriptor) { return static_cast<std::uint32_t>(descriptor) >> 16; }
inline constexpr std::uint32_t last_generation = 0x7fff;

}  // namespace peerpath::gpunet
