// Cables that lose packets: some by number, or a share of them.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "network/graph.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::network {

/// Which packets of which port are lost on the way: bit errors, told by the frame check sequence of the other end.
class CableFaults {
 public:
  explicit CableFaults(std::uint64_t seed) : seed_{seed} {}

  /// Takes over what the cable says of this direction; false: it loses nothing.
  bool add(PortIndex port, const Cable& cable) {
    const auto& lost = port % 2 == 0 ? cable.lost : nothing_;
    if (lost.empty() && cable.loss <= 0) return false;
    Fault fault{lost, static_cast<std::uint64_t>(cable.loss * 4294967296.0), Random{mix(seed_ ^ mix(port)), "cables"}};
    std::ranges::sort(fault.lost);
    faults_.emplace(port, std::move(fault));
    return true;
  }
  /// Whether the packet that has this number at its port is lost.
  bool strikes(PortIndex port, std::int64_t number) {
    auto& fault = faults_.at(port);
    if (std::ranges::binary_search(fault.lost, number)) return true;
    return fault.limit > 0 && fault.random.next() >> 32 < fault.limit;
  }

 private:
  struct Fault {
    std::vector<std::int64_t> lost{};
    std::uint64_t limit = 0;  ///< 2^32 times the share
    Random random;            ///< of this direction alone, so that no other one shifts what it loses
  };
  const std::vector<std::int64_t> nothing_{};
  std::map<PortIndex, Fault> faults_;
  std::uint64_t seed_;
};

}  // namespace peerpath::network
