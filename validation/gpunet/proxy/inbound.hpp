// From a socket's channel into its entries and ring.
#pragma once

#include "validation/gpunet/proxy/metrics.hpp"
#include "validation/gpunet/proxy/socket.hpp"

namespace peerpath::gpunet {

/// Receives what is there and has room, and announces the end of the stream. True if anything was done.
bool move_in(const Net& net, Socket& socket, Metrics& metrics);

/// Whether the GPU has received bytes that it has not taken up to (entry, offset).
bool leaves_bytes(const Socket& socket, std::uint32_t entry, std::uint32_t offset);

}  // namespace peerpath::gpunet
