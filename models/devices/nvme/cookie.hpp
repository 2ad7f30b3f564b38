// What the drive and the submitter write into the cookies of their transactions.
#pragma once

#include <cstdint>

namespace peerpath::nvme {

/// What a transaction is for.
enum class Work : std::uint8_t {
  submission_doorbell,  ///< value: new tail
  completion_doorbell,  ///< value: new head
  fetch,                ///< value: first index and count
  prp_list,             ///< value: command
  data,                 ///< value: command
  completion,           ///< value: tail of the completion queue behind it
  interrupt,            ///< the same
};

/// A cookie, as numbers.
struct Cookie {
  std::uint32_t queue = 0;  ///< number of the queue pair, which is that of the stream
  Work work{};
  std::uint32_t value = 0;  ///< up to 2^28 - 1

  constexpr std::uint64_t pack() const {
    return std::uint64_t{queue} << 32 | std::uint64_t{static_cast<std::uint8_t>(work)} << 28 | value;
  }
  static constexpr Cookie unpack(std::uint64_t cookie) {
    return {static_cast<std::uint32_t>(cookie >> 32), static_cast<Work>(cookie >> 28 & 0xf),
            static_cast<std::uint32_t>(cookie & 0xfff'ffff)};
  }
};

}  // namespace peerpath::nvme
