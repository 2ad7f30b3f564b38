// A RoCE packet as its headers say it, without the payload's bytes.
#pragma once

#include <cstdint>

#include "transport/roce/opcode.hpp"

namespace peerpath::roce {

/// Packet sequence numbers have 24 bits.
inline constexpr std::uint32_t psn_mask = 0xffffff;

/// How far `a` is ahead of `b`, both taken modulo 2^24: from -2^23 to 2^23 - 1.
constexpr std::int32_t psn_distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>((a - b) << 8) >> 8;
}

/// Fields of the base transport header and of those that follow it; which ones count follows from the opcode.
struct Packet {
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;  ///< of the ACK extended header
  bool ack_request = false;
  bool becn = false;
  std::uint32_t destination_qp = 0;
  std::uint32_t psn = 0;
  std::uint32_t msn = 0;          ///< message sequence number; of a selective NAK the PSN that caused it
  std::uint32_t length = 0;       ///< bytes of payload
  std::uint32_t dma_length = 0;   ///< of the RDMA extended header
  std::uint64_t address = 0;      ///< likewise; in selective repeat of every packet with data
  std::uint32_t key = 0;          ///< remote key; of a datagram the queue key
  std::uint32_t immediate = 0;    ///< of a datagram: the source queue pair
  std::uint64_t swap_or_add = 0;  ///< of an atomic; of its acknowledgement the original value
  std::uint64_t compare = 0;

  Operation operation() const { return operation_of(opcode); }
};

static_assert(sizeof(Packet) == 56);

/// Syndromes of the ACK extended header (section 9.7.5.2).
namespace syndrome {
inline constexpr std::uint8_t ack = 0x1f;  ///< with no limit by end-to-end credits
inline constexpr std::uint8_t rnr = 0x20;  ///< and a timer code in the low five bits
inline constexpr std::uint8_t sequence_error = 0x60;
inline constexpr std::uint8_t invalid_request = 0x61;
inline constexpr std::uint8_t remote_access = 0x62;
inline constexpr std::uint8_t remote_operational = 0x63;
constexpr bool is_ack(std::uint8_t s) { return s >> 5 == 0; }
constexpr bool is_rnr(std::uint8_t s) { return s >> 5 == 1; }
}  // namespace syndrome

}  // namespace peerpath::roce
