// Which payload of TCP has been here before: what a sender sends again.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "peerpath/net/headers.hpp"

namespace peerpath::nic {

/// Remembers the sequence numbers of every flow that went one way through a NIC. It is an observer for the ledger: no
/// real NIC knows this, and nothing that the NIC does depends on it.
///
/// A segment counts as sent again if all of its payload was here before. One that is partly new counts as new, and so
/// do the flows that had to be forgotten, beyond `most_flows` at a time.
class SentBefore {
 public:
  static constexpr std::size_t most_flows = 4096, most_gaps = 1024;

  /// Notes `payload` bytes behind the headers `parsed`; true if they were all here before.
  bool again(const net::ParsedFrame& parsed, std::int64_t payload);
  /// A segment that opens a connection: its ports may have been used before.
  void opened(const net::ParsedFrame& parsed) { flows_.erase(key_of(parsed.key)); }

 private:
  using Key = std::array<std::uint8_t, 37>;
  struct Flow {
    std::int64_t latest = 0;                      ///< sequence number seen last, without wrapping
    std::map<std::int64_t, std::int64_t> ranges;  ///< first byte to the one behind the last, apart from each other
  };
  static Key key_of(const net::FlowKey& key);

  std::map<Key, Flow> flows_;
};

}  // namespace peerpath::nic
