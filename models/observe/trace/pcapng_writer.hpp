// pcapng files (draft-ietf-opsawg-pcapng): a section, its interfaces, enhanced packets. Our own, because libpcap writes
// the older format only, which has one interface and no names.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peerpath/base/time.hpp"

namespace peerpath::trace {

/// LINKTYPE_ETHERNET, and LINKTYPE_USER0 for TLPs: the type registered for PCIe has no defined format.
enum class LinkType : std::uint16_t { ethernet = 1, tlp = 147 };

struct PcapngInterface {
  LinkType type{};
  std::string name, description;
  std::uint64_t bits_per_second = 0;
  std::uint32_t most_captured = 0;  ///< bytes of a packet that are kept, 0: no limit
};

enum class PacketDirection : std::uint8_t { inbound = 1, outbound = 2 };

/// Of timestamps in a run that ends then: 12, picoseconds; 9 where it is longer than 18 ms, because Wireshark 4.0
/// computes fractions of a second in 64 bits, which finer ones overflow from then on.
int timestamp_digits(Instant end);
std::uint64_t timestamp(Instant when, int digits);

/// Little-endian on every machine, so that a trace is the same bytes everywhere.
class PcapngWriter {
 public:
  /// Timestamps count 10^-`digits` s.
  PcapngWriter(std::ostream& out, std::string_view application, std::string_view comment, int digits);

  /// Numbers interfaces from 0. All are added before the first packet.
  std::uint32_t add(const PcapngInterface& interface);
  void packet(std::uint32_t interface, std::uint64_t time, std::span<const std::uint8_t> captured, std::uint32_t length,
              PacketDirection direction, std::string_view comment);

 private:
  void begin();
  void put16(unsigned value);
  void put32(std::uint32_t value);
  void put64(std::uint64_t value);
  void option(unsigned code, std::string_view value);
  void pad();
  void end(std::uint32_t type);

  std::ostream& out_;
  int digits_;
  std::uint32_t interfaces_ = 0;
  std::string block_;  ///< body of the block that is being written
};

}  // namespace peerpath::trace
