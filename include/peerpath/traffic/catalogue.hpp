// The kinds of traffic that there are. No other list names them: a new kind is a folder below models/traffic, and its
// line here.
#pragma once

#include <variant>

#include "traffic/atomic/kind.hpp"
#include "traffic/copy/kind.hpp"
#include "traffic/gpunet/kind.hpp"
#include "traffic/p2p_ring/kind.hpp"
#include "traffic/read/kind.hpp"
#include "traffic/receive/kind.hpp"
#include "traffic/transmit/kind.hpp"
#include "traffic/write/kind.hpp"

namespace peerpath::scenario::traffic {

/// The options of an entry of any kind; the first is that of entries that do not name theirs. In this order texts list
/// kinds, and what belongs to no single entry is set up.
using AnyKind = std::variant<Receive, Transmit, Write, Read, Copy, Atomic, Gpunet, P2pRing>;

}  // namespace peerpath::scenario::traffic
