// Processes that run one network scenario together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace peerpath::network_run {

/// What a message between ranks holds.
using Buffer = std::vector<std::byte>;

/// Ranks know each other by numbers from 0; rank 0 has the results in the end.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::uint32_t number() const = 0;
  virtual std::uint32_t count() const = 0;
  /// All ranks call it together: `out[r]` goes to rank r, and `in[r]` is what rank r has for this one. Both have
  /// `count` entries; the one of the rank itself is not touched.
  virtual void exchange(const std::vector<Buffer>& out, std::vector<Buffer>& in) = 0;
};

}  // namespace peerpath::network_run
