// Operations of the base transport header (InfiniBand Architecture Specification 1, section 9.2.1).
#pragma once

#include <cstdint>

namespace peerpath::roce {

/// The low five bits of the opcode: what a packet is. The upper three say of which service.
enum class Operation : std::uint8_t {
  send_first = 0x00,
  send_middle = 0x01,
  send_last = 0x02,
  send_last_immediate = 0x03,
  send_only = 0x04,
  send_only_immediate = 0x05,
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_last_immediate = 0x09,
  write_only = 0x0a,
  write_only_immediate = 0x0b,
  read_request = 0x0c,
  read_response_first = 0x0d,
  read_response_middle = 0x0e,
  read_response_last = 0x0f,
  read_response_only = 0x10,
  acknowledge = 0x11,
  atomic_acknowledge = 0x12,
  compare_swap = 0x13,
  fetch_add = 0x14,
};

/// The upper three bits.
enum class Service : std::uint8_t { reliable_connection = 0, unreliable_datagram = 3, congestion = 4 };

constexpr std::uint8_t congestion_notification = 0x81;  ///< of RoCEv2 (annex A17)

constexpr std::uint8_t opcode(Service service, Operation operation) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(service) << 5 | static_cast<unsigned>(operation));
}
constexpr Service service_of(std::uint8_t opcode) { return static_cast<Service>(opcode >> 5); }
constexpr Operation operation_of(std::uint8_t opcode) { return static_cast<Operation>(opcode & 0x1f); }

constexpr bool is_send(Operation o) { return o <= Operation::send_only_immediate; }
constexpr bool is_write(Operation o) { return o >= Operation::write_first && o <= Operation::write_only_immediate; }
constexpr bool is_read_response(Operation o) {
  return o >= Operation::read_response_first && o <= Operation::read_response_only;
}
constexpr bool is_atomic(Operation o) { return o == Operation::compare_swap || o == Operation::fetch_add; }
/// Whether it starts a message of a requester, and whether it ends one.
constexpr bool is_first(Operation o) {
  return o == Operation::send_first || o == Operation::write_first || o == Operation::send_only ||
         o == Operation::send_only_immediate || o == Operation::write_only || o == Operation::write_only_immediate;
}
constexpr bool is_last(Operation o) {
  return (is_send(o) || is_write(o)) && o != Operation::send_first && o != Operation::send_middle &&
         o != Operation::write_first && o != Operation::write_middle;
}
constexpr bool has_reth(Operation o) {
  return o == Operation::write_first || o == Operation::write_only || o == Operation::write_only_immediate ||
         o == Operation::read_request;
}
constexpr bool has_immediate(Operation o) {
  return o == Operation::send_last_immediate || o == Operation::send_only_immediate ||
         o == Operation::write_last_immediate || o == Operation::write_only_immediate;
}
constexpr bool has_aeth(Operation o) {
  return o == Operation::acknowledge || o == Operation::atomic_acknowledge ||
         (is_read_response(o) && o != Operation::read_response_middle);
}

}  // namespace peerpath::roce
