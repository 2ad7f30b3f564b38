// Two runs of one scenario, byte by byte: what crossed each link in each direction, and what for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace peerpath::compare {

/// One line of the comparison. Kinds are the ledger's purposes, and `rx_descriptor`, `rx_completion`, `tx_descriptor`,
/// `tx_completion`: bytes of one entry of a NIC's rings.
struct LedgerLine {
  enum class Verdict : std::uint8_t {
    equal,
    different,
    reported,  ///< depends on the guest's or the model's timing, so it is shown and not judged
  };
  std::string place;      ///< a link, or a NIC for its rings
  std::string direction;  ///< "up", "down", or "" for rings
  std::string kind;
  std::int64_t first = 0, second = 0;              ///< bytes; of rings, bytes of one entry
  std::int64_t first_count = 0, second_count = 0;  ///< of rings: entries
  Verdict verdict = Verdict::reported;
};

/// `first` and `second`: two documents results.json. Judged are
///   payload      first transmissions alone, for what TCP sends again is `retransmission`: equal to the byte
///   header       of packets with payload: equal to the byte, so as many packets with headers of the same length
///   rings        bytes of an entry, of those rings that both runs used; and that the ledger's `descriptor` and
///                `completion_entry` bytes on the NIC's link are those that the NIC counted
/// Lines that are zero in both are left out. A sentence if a document is not a whole run's.
tl::expected<std::vector<LedgerLine>, std::string> compare_ledgers(const std::string& first, const std::string& second);

}  // namespace peerpath::compare
