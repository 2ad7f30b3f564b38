// From a socket's entries and ring into its channel.
#pragma once

#include "validation/gpunet/proxy/metrics.hpp"
#include "validation/gpunet/proxy/socket.hpp"

namespace peerpath::gpunet {

/// Sends what the GPU has put there, all of it by one call where the channel takes it. True if anything was done.
bool move_out(const Net& net, Socket& socket, Metrics& metrics);

/// Sending is over, with this errno; the GPU is told which entry was the last to be sent.
void break_sending(const Net& net, Socket& socket, int error);

/// After the end of the stream: the peer is gone altogether, as the channel found.
void announce_gone(const Net& net, Socket& socket, const Channel::Gone& gone);

}  // namespace peerpath::gpunet
