// What one half of a transfer came to, and how things fail here.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "tl/expected.hpp"

namespace peerpath::agent {

/// Why something could not be done. `unsupported` tells a kernel or driver that cannot do it from one that failed.
struct Failure {
  std::string what;
  bool unsupported = false;
};

template <class T>
using Expected = tl::expected<T, Failure>;

/// "what: text of `error`"; EOPNOTSUPP, ENOSYS and ENOENT count as unsupported.
inline tl::unexpected<Failure> failure(const std::string& what, int error) {
  return tl::unexpected{Failure{what + ": " + std::strerror(error),
                                error == EOPNOTSUPP || error == ENOSYS || error == ENOENT || error == ENODEV}};
}
inline tl::unexpected<Failure> failure(const std::string& what) { return failure(what, errno); }

/// What was moved. Bytes are of the stream's payload.
struct Outcome {
  std::uint64_t bytes = 0;
  std::uint64_t validated = 0;      ///< received bytes that are what the seed says
  std::int64_t first_wrong = -1;    ///< offset of the first byte that is not
  std::uint64_t fragments = 0;      ///< pieces that came in, or sends
  std::uint64_t copied = 0;         ///< bytes that came outside of the memory meant for them, so were copied by the CPU
  std::uint64_t retransmitted = 0;  ///< source: bytes that TCP sent more than once
  double seconds = 0;               ///< first to last byte, wall clock of the machine it ran on
};

}  // namespace peerpath::agent
