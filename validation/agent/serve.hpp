// The other end of measurements: does what a machine that measures asks for, one transfer at a time.
#pragma once

#include <string>

#include "validation/agent/outcome.hpp"

namespace peerpath::agent {

/// Listens at `address` and `port` until the process is ended. A connection is one request: a line with the traffic's
/// JSON object; the answer is the line that the agent prints. Each transfer is a process of its own, which ends with
/// the connection. `one` does it and returns the exit status. Whoever reaches the address can have data moved, and no
/// more: give it an address of a network that is trusted.
Failure serve(const std::string& address, int port, int (*one)(const std::string& json));

}  // namespace peerpath::agent
