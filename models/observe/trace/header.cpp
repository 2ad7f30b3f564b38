#include "observe/trace/header.hpp"

#include "core/pcie/split.hpp"

namespace peerpath::trace {
namespace {

using pcie::Operation;
using pcie::TlpClass;

/// Type field (PCIe Base Spec table 2-3). A message is routed to the root complex, or from there broadcast.
std::uint8_t type_of(const Tlp& tlp) {
  if (tlp.record.tlp_class == TlpClass::completion) return 0b01010;
  switch (tlp.record.op) {
    case Operation::memory_write:
    case Operation::memory_read:
      return 0b00000;
    case Operation::atomic:
      return 0b01100;  // FetchAdd
    case Operation::config_read:
    case Operation::config_write:
      return 0b00100;
    case Operation::message:
      return 0b10000;
  }
  return 0;
}

std::uint8_t completion_status(pcie::Status status) {
  if (status == pcie::Status::unsupported_request) return 0b001;
  return status == pcie::Status::completer_abort ? 0b100 : 0b000;
}

/// First and last byte enables of `bytes` at `address` (2.2.5).
std::uint8_t byte_enables(std::uint64_t address, Bytes bytes) {
  const int dw = pcie::data_double_words(address, bytes);
  if (dw == 0) return 0;
  const auto lead = static_cast<int>(address % 4);
  const int end = static_cast<int>((static_cast<std::int64_t>(address % 4) + bytes.count() - 1) % 4) + 1;
  if (dw == 1) return static_cast<std::uint8_t>(0xf << lead & 0xf & ((1 << end) - 1));
  return static_cast<std::uint8_t>(((1 << end) - 1) << 4 | (0xf << lead & 0xf));
}

}  // namespace

std::vector<std::uint8_t> tlp_header(const Tlp& tlp, bool digest) {
  const auto& record = tlp.record;
  const bool completion = record.tlp_class == TlpClass::completion;
  const bool data = record.payload.count() > 0;
  const int words =
      completion ? pcie::completion_header_double_words : pcie::request_header_double_words(record.op, record.address);
  // Length of data carried, or of what a read asks for; 1024 is written as 0.
  int length = static_cast<int>(record.payload.count() / 4);
  if (!completion && !data && record.op != Operation::message)
    length = std::max(1, pcie::data_double_words(record.address, tlp.bytes));
  const unsigned attributes = (tlp.asked.relaxed_ordering ? 2U : 0U);
  const unsigned translation = completion ? 0U : tlp.asked.translated ? 2U : tlp.asked.translation ? 1U : 0U;
  const auto put = [](unsigned value) { return static_cast<std::uint8_t>(value); };

  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(words) * 4);
  bytes[0] = put((data ? 2U : 0U) << 5 | (words == 4 ? 1U : 0U) << 5 | type_of(tlp));
  bytes[1] = put((tlp.tag >> 9 & 1U) << 7 | (tlp.asked.traffic_class & 7U) << 4 | (tlp.tag >> 8 & 1U) << 3 |
                 (tlp.asked.id_based_ordering ? 4U : 0U));
  bytes[2] =
      put((digest ? 0x80U : 0U) | attributes << 4 | translation << 2 | (static_cast<unsigned>(length) >> 8 & 3U));
  bytes[3] = put(static_cast<unsigned>(length));
  const auto requester = function_id(record.requester), completer = function_id(record.target);
  const auto put16 = [&](std::size_t at, unsigned value) { bytes[at] = put(value >> 8), bytes[at + 1] = put(value); };
  if (completion) {
    put16(4, completer);
    put16(6, static_cast<unsigned>(completion_status(tlp.status)) << 13 |
                 (static_cast<unsigned>(tlp.remaining.count()) & 0xfffU));
    put16(8, requester);
    bytes[10] = put(tlp.tag);
    bytes[11] = put(data ? static_cast<unsigned>(record.address & 0x7f) : 0U);
    return bytes;
  }
  put16(4, requester);
  bytes[6] = put(tlp.tag);
  bytes[7] = byte_enables(record.address, tlp.bytes);
  if (record.op == Operation::message) {
    bytes[7] = 0x7f;  // vendor-defined type 1 (2.2.8.6): what it says is not modelled
    return bytes;
  }
  std::size_t at = 8;
  if (words == 4) {
    put16(at, static_cast<unsigned>(record.address >> 48)), put16(at + 2, static_cast<unsigned>(record.address >> 32));
    at += 4;
  }
  put16(at, static_cast<unsigned>(record.address >> 16 & 0xffff));
  put16(at + 2, static_cast<unsigned>(record.address & 0xfffc));
  if (record.op == Operation::config_read || record.op == Operation::config_write) put16(8, completer);
  return bytes;
}

}  // namespace peerpath::trace
