// Many random programs, one after the other, on one block.
#pragma once

#include <string>

#include "validation/gpunet/programs/program.hpp"
#include "validation/gpunet/proxy/proxy.hpp"

namespace peerpath::gpunet::programs {

struct Campaign {
  std::uint64_t first_seed = 1;
  int programs = 100;
  std::string folder;  ///< for UNIX sockets
};

struct Verdict {
  int equal = 0, different = 0;
  std::uint64_t calls = 0, received = 0;
  std::string first_difference;  ///< with its seed
};

/// `desk` is in front of a block that takes dictation over the proxy's net; ends the dictation.
Verdict run_campaign(const Campaign& campaign, Desk& desk, Proxy& proxy);

}  // namespace peerpath::gpunet::programs
