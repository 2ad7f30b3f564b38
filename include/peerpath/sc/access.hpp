// Plain reads and writes of an SC_THREAD through a TLM-2.0 initiator socket.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>

#include "peerpath/sc/outlet.hpp"

namespace peerpath::sc {

/// Makes a payload a plain access: no byte enables, no streaming (IEEE 1666, generic payload attributes).
inline void prepare(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                    std::span<unsigned char> data) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data.data());
  payload.set_data_length(static_cast<unsigned>(data.size()));
  payload.set_streaming_width(static_cast<unsigned>(data.size()));
}

/// One blocking access of a foreign initiator: returns when it is over, with whether it was answered with success.
template <InitiatorSocket Socket>
bool access(Socket& socket, tlm::tlm_command command, std::uint64_t address, std::span<unsigned char> data) {
  tlm::tlm_generic_payload payload;
  prepare(payload, command, address, data);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  sc_core::wait(delay);
  return payload.is_response_ok();
}

/// Writes `data`; a posted write is over when it has arrived.
template <InitiatorSocket Socket>
bool write(Socket& socket, std::uint64_t address, std::span<unsigned char> data) {
  return access(socket, tlm::TLM_WRITE_COMMAND, address, data);
}

/// Fills `data` with what is there.
template <InitiatorSocket Socket>
bool read(Socket& socket, std::uint64_t address, std::span<unsigned char> data) {
  return access(socket, tlm::TLM_READ_COMMAND, address, data);
}

}  // namespace peerpath::sc
