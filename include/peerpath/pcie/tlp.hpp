// The kinds of TLP, and what peerpath's ledger asks of each: on whose behalf and for what purpose it travels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::pcie {

/// Flow-control class of a TLP (PCIe Base Spec 2.6.1): posted, non-posted, completion.
enum class TlpClass : std::uint8_t { posted, non_posted, completion };
inline constexpr std::size_t tlp_classes = 3;

constexpr std::array<EnumName<TlpClass>, tlp_classes> enum_names(TlpClass) {
  return {{{"posted", TlpClass::posted}, {"non_posted", TlpClass::non_posted}, {"completion", TlpClass::completion}}};
}

/// What a requester asks for.
enum class Operation : std::uint8_t { memory_write, memory_read, atomic, config_read, config_write, message };

/// How the completer answers (Completion Status, PCIe Base Spec 2.2.9). `no_answer` stands for a completer that never
/// does: the requester's completion timeout ends the request. `poisoned` is of posted requests alone: their data came
/// with the EP bit set (2.7.2), and the completer did not take it.
enum class Status : std::uint8_t { success, unsupported_request, completer_abort, no_answer, poisoned };

constexpr std::array<EnumName<Status>, 5> enum_names(Status) {
  return {{{"success", Status::success},
           {"unsupported_request", Status::unsupported_request},
           {"completer_abort", Status::completer_abort},
           {"no_answer", Status::no_answer},
           {"poisoned", Status::poisoned}}};
}

/// Why bytes travel; the ledger's columns. `payload` alone counts as user data. `control` is what no payload comes
/// with: packets without any, such as acknowledgements, commands, translations. `retransmission` is payload of TCP that
/// has crossed the same NIC before.
enum class Purpose : std::uint8_t {
  payload,
  header,
  descriptor,
  completion_entry,
  doorbell,
  interrupt,
  control,
  retransmission,
};
inline constexpr std::size_t purposes = 8;

constexpr std::array<EnumName<Purpose>, purposes> enum_names(Purpose) {
  return {{{"payload", Purpose::payload},
           {"header", Purpose::header},
           {"descriptor", Purpose::descriptor},
           {"completion_entry", Purpose::completion_entry},
           {"doorbell", Purpose::doorbell},
           {"interrupt", Purpose::interrupt},
           {"control", Purpose::control},
           {"retransmission", Purpose::retransmission}}};
}

/// Class of the request TLPs of an operation. A message is posted; MSI and MSI-X are memory writes.
constexpr TlpClass request_class(Operation op) {
  return op == Operation::memory_write || op == Operation::message ? TlpClass::posted : TlpClass::non_posted;
}

/// Whether the request itself carries the data.
constexpr bool request_has_data(Operation op) { return op != Operation::memory_read && op != Operation::config_read; }

/// Whether the completion carries data (CplD) rather than only a status (Cpl).
constexpr bool completion_has_data(Operation op) {
  return op == Operation::memory_read || op == Operation::atomic || op == Operation::config_read;
}

/// Header of a completion, and of a request with a 32-bit address: three double words.
inline constexpr Bytes header_3dw{12};
/// Header of a request with an address of 4 GiB or above: four double words.
inline constexpr Bytes header_4dw{16};
/// Link-layer bytes of a TLP outside FLIT mode: STP with sequence number (4) and LCRC (4); Gen1/2 spend the same 8 on
/// start, sequence number, LCRC and end.
inline constexpr Bytes link_framing{8};
/// One DLLP with its framing.
inline constexpr Bytes dllp_size{8};
/// One data credit.
inline constexpr Bytes data_credit{16};

}  // namespace peerpath::pcie
