// The halves of a transfer, one for each kernel interface.
#pragma once

#include "validation/agent/memory.hpp"

namespace peerpath::agent {

Expected<Outcome> receive_by_socket(const Traffic& traffic);
Expected<Outcome> receive_by_devmem(const Traffic& traffic);
Expected<Outcome> receive_by_zcrx(const Traffic& traffic);
Expected<Outcome> send_by_socket(const Traffic& traffic);
Expected<Outcome> send_by_devmem(const Traffic& traffic);
/// Either half.
Expected<Outcome> move_by_verbs(const Traffic& traffic);

/// Compares a piece of the stream that came in with what it should be, and counts it.
void count_piece(const Traffic& traffic, const unsigned char* data, std::uint64_t size, Outcome& outcome);
/// The same of one that lies in `buffer`, which it may lie outside of.
Expected<void> count_piece(const Traffic& traffic, const Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                           Outcome& outcome);

/// Puts a piece of the stream, from `outcome.bytes` on, at the start of `buffer`.
Expected<void> fill_piece(const Traffic& traffic, const Buffer& buffer, std::uint64_t size, const Outcome& outcome);

}  // namespace peerpath::agent
