// The halves of a transfer, one for each kernel interface.
#pragma once

#include "validation/agent/traffic.hpp"

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

}  // namespace peerpath::agent
