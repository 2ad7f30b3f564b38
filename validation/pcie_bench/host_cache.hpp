// The last-level cache of a host, from what Linux says of its processor.
#pragma once

#include <optional>
#include <string>

#include "peerpath/base/units.hpp"

namespace peerpath::pcie_bench {

/// Of one socket.
struct HostCache {
  Bytes size{};
  std::optional<int> ways{};
};

/// From the output of lscpu ("L3 cache: 25600K", "L3: 50 MiB (2 instances)"), of lscpu -C (the row L3, which has the
/// ways too), or from /proc/cpuinfo ("cache size : 25600 KB"). Nothing if none of these is in the text.
std::optional<HostCache> read_cache(const std::string& text);

}  // namespace peerpath::pcie_bench
