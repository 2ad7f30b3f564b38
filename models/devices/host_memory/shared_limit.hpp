// What all devices together reach in host memory, by how many of them are at work. Model card: README.md.
#pragma once

#include <vector>

#include "devices/host_memory/config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::host_memory {

/// Two servers, one for what is read and one for what is written, whose rates are set anew every two microseconds: by
/// the number of devices that read, or wrote, in the two before, and by how much of the other was done.
class SharedLimit {
 public:
  explicit SharedLimit(const device::SharedConfig& config);

  /// From when a request goes on that comes at `at`.
  Instant read(fabric::NodeId requester, Bytes bytes, Instant at) { return take(reads_, requester, bytes, at); }
  Instant write(fabric::NodeId requester, Bytes bytes, Instant at) { return take(writes_, requester, bytes, at); }

 private:
  struct Way {
    std::vector<BitRate> rates;  ///< by the number of devices at work
    BitRate rate{};              ///< now; 0: no limit
    Instant free{};
    std::vector<fabric::NodeId> at_work{};  ///< in this slice of time
    Bytes moved{};                          ///< likewise
  };
  Instant take(Way& way, fabric::NodeId requester, Bytes bytes, Instant at);
  void begin_slice(Instant at);

  Way reads_, writes_;
  std::vector<BitRate> both_rates_;
  Instant slice_end_;
};

}  // namespace peerpath::host_memory
