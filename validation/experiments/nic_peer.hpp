// Transfers between this machine and another, where `peerpath-agent --serve` runs: the agent does either half.
#pragma once

#include <cstdint>
#include <string>

namespace peerpath::experiments {

struct NicOptions {
  std::string peer;   ///< "ADDRESS" or "ADDRESS:PORT" ("[::1]:5200") of the agent that serves; empty: none
  std::string agent;  ///< the agent's program here; empty: peerpath-agent-gpu beside this
                      ///< program, or peerpath-agent where that is missing
};

/// One stream to this machine.
struct NicStream {
  std::string api;                        ///< of the sink, here: socket, devmem, zcrx or verbs
  std::string operation{};                ///< verbs: write, read or send
  std::string provider = "host", path{};  ///< of the memory here; `path` is not its usual device node or library
  std::int64_t bytes = 0, each = 0;       ///< payload of all, and of one send or operation
};

struct StreamOutcome {
  double seconds = 0;        ///< the longer of what the two ends took
  bool correct = false;      ///< every byte was compared and is right
  std::string problem{};     ///< "" if it went through
  bool unsupported = false;  ///< `problem` is something that this machine or the other lacks
};

/// Both halves: here the sink in a child, there the source.
StreamOutcome move_stream(const NicOptions& options, const NicStream& stream);

/// Why nothing can be moved at all: no peer named, no agent here; "" if it can be tried.
std::string nothing_to_move_with(const NicOptions& options);

}  // namespace peerpath::experiments
