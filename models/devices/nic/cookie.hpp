// What a NIC writes on the transactions that it submits, so that it knows them again.
#pragma once

#include <cstdint>

#include "devices/nic/rings.hpp"

namespace peerpath::nic {

/// What a transaction is for.
enum class Dma : std::uint8_t {
  rx_data,         ///< write of header or payload; value: packet
  rx_completions,  ///< write; value: first index, count: entries
  tx_completions,  ///< the same
  interrupt,       ///< write; value: vector
  rx_descriptors,  ///< read; value: first index, count: entries
  tx_descriptors,  ///< the same
  tx_data,         ///< read of header or payload; value: slot
};

/// Packs into the 64 bits of a transaction's cookie.
struct Cookie {
  Dma dma{};
  std::uint8_t epoch = 0;   ///< of the queue: tells what belongs to its life before the last stop (4 bits)
  QueueIndex queue{};       ///< 14 bits
  std::uint16_t count = 0;  ///< 10 bits
  std::uint32_t value = 0;

  constexpr std::uint64_t pack() const {
    return static_cast<std::uint64_t>(dma) << 60 | static_cast<std::uint64_t>(epoch & 15u) << 56 |
           static_cast<std::uint64_t>(queue.value() & 0x3fffu) << 42 |
           static_cast<std::uint64_t>(count & 0x3ffu) << 32 | value;
  }
  static constexpr Cookie unpack(std::uint64_t packed) {
    return {static_cast<Dma>(packed >> 60), static_cast<std::uint8_t>(packed >> 56 & 15),
            QueueIndex{static_cast<std::uint16_t>(packed >> 42 & 0x3fff)},
            static_cast<std::uint16_t>(packed >> 32 & 0x3ff), static_cast<std::uint32_t>(packed)};
  }
};

}  // namespace peerpath::nic
