// What two bound ports have between them, for users of the SystemC modules.
#pragma once

#include "peerpath/platform/link_config.hpp"

namespace peerpath::sc {

using platform::link_direction;
using platform::LinkConfig;

}  // namespace peerpath::sc
