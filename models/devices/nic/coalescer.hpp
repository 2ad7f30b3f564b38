// Receive coalescing (RSC, which Linux calls GRO_HW): TCP segments of one flow that follow each other become one frame.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "peerpath/net/headers.hpp"

namespace peerpath::nic {

/// Merges by the rules of Linux's software GRO, so that cutting the result again gives the same packets back: same
/// addresses, ports, TTL, TOS and header lengths, equal TCP options, the same acknowledgement, sequence numbers without
/// a gap, only ACK and PSH set, payload of equal size but for the last. IPv4 identifications count up, or with Don't
/// Fragment stay the same. PSH, a shorter segment or a full frame ends a merge; everything else of the flow lets what
/// was held go first.
class Coalescer {
 public:
  /// What comes out: a frame, and the payload of each segment that it was made of; 0 if it is just one.
  using Deliver = std::function<void(std::span<const std::uint8_t> frame, std::uint16_t segment)>;
  static constexpr std::size_t most_flows = 512;  ///< the kernel's gro_hw.py asks for as many
  static constexpr std::size_t most_payload = 60 * 1024;
  static constexpr std::size_t most_frame = most_payload + 122;  ///< with Ethernet, two tags, IPv6, TCP with options

  /// Takes a frame whose checksums are good. What cannot be held is delivered at once, and in order.
  void take(std::span<const std::uint8_t> frame, const net::ParsedFrame& parsed, const Deliver& deliver);
  /// Lets go the frame that has been held the longest, if one is.
  void flush_oldest(const Deliver& deliver);
  void drop() { held_.clear(); }
  bool holds() const { return !held_.empty(); }

 private:
  struct Held {
    std::vector<std::uint8_t> frame;  ///< header, then payload so far
    net::ParsedFrame parsed;          ///< of the first
    std::size_t segment = 0;          ///< payload of the first
    std::uint32_t next_sequence = 0;
    std::uint16_t last_id = 0;
    bool id_counts = false, id_known = false;
    int count = 1;
  };
  static bool fits(const Held& held, std::span<const std::uint8_t> frame, const net::ParsedFrame& parsed);
  static void append(Held& held, std::span<const std::uint8_t> frame, const net::ParsedFrame& parsed);
  static void let_go(Held& held, const Deliver& deliver);

  std::deque<Held> held_;  ///< in order of arrival
};

}  // namespace peerpath::nic
