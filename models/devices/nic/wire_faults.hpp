// What happens to frames on the wire before they come to a NIC: chosen ones are lost, damaged or late.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace peerpath::nic {

enum class WireFault : std::uint8_t {
  drop,
  corrupt,  ///< the last byte of its payload is inverted; the wire's own checksum (FCS) is right all the same
  reorder,  ///< it comes behind the next frame with payload
};

/// Numbers the frames with payload from 1 on. Frames without any (acknowledgements) pass untouched, and untold.
class WireFaults {
 public:
  using Deliver = std::function<void(std::span<const std::uint8_t>)>;
  void add(std::uint64_t frame, WireFault fault) { faults_[frame] = fault; }
  void take(std::span<const std::uint8_t> frame, const Deliver& deliver);

 private:
  std::map<std::uint64_t, WireFault> faults_;
  std::uint64_t frames_ = 0;
  std::vector<std::uint8_t> late_;
};

}  // namespace peerpath::nic
