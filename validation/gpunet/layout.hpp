// How the shared memory is cut, for whichever side: offsets from the start of one piece of host memory.
#pragma once

#include <cstddef>

#include "peerpath/validation/gpunet/memory.hpp"

namespace peerpath::gpunet {

/// Bytes of host memory that a net of this size takes.
std::size_t host_bytes(const Dimensions& size);

/// The net whose host memory begins at `base`, and whose socket states stand at `state`, as seen by the side that these
/// addresses are of.
Net lay_out(const Dimensions& size, unsigned char* base, SocketState* state);

}  // namespace peerpath::gpunet
