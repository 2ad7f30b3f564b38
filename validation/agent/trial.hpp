// Memory tried alone, without a NIC: that there is some, what its dma-buf says of itself, and data to and fro.
#pragma once

#include "validation/agent/memory.hpp"

namespace peerpath::agent {

struct Trial {
  std::uint64_t bytes = 0;          ///< of the memory, which may be more than was asked for
  std::int64_t dmabuf_bytes = -1;   ///< what seeking to its end says; -1: the provider has none
  std::uint64_t validated = 0;      ///< bytes that came back as they were stored
  std::int64_t first_wrong = -1;    ///< offset of the first byte that did not
  double store_s = 0, fetch_s = 0;  ///< what copies took; 0 where the CPU maps the memory
  /// "" if all is right.
  std::string problem() const;
};

/// Stores a pattern in all of the memory, forgets it, fetches it and compares.
Expected<Trial> try_memory(const Memory& memory);

/// {"memory", "bytes", ..., "problem"}
std::string trial_json(const Memory& memory, const Expected<Trial>& trial);

}  // namespace peerpath::agent
