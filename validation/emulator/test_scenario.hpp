// A NIC and a GPU below one switch, for tests.
#pragma once

#include "peerpath/scenario/load.hpp"

namespace peerpath::emulator {

inline scenario::Scenario test_scenario() {
  scenario::Scenario out;
  out.name = "test";
  out.devices = {{"rc", device::RootComplexConfig{}},
                 {"dram", device::HostMemoryConfig{}},
                 {"sw0", device::SwitchConfig{}},
                 {"nic0", device::NicConfig{}},
                 {"gpu0", device::GpuConfig{}}};
  for (const auto& [from, to] : {std::pair{"rc", "sw0"}, {"sw0", "nic0"}, {"sw0.3", "gpu0"}}) {
    out.links.emplace_back();
    out.links.back().from = from;
    out.links.back().to = to;
  }
  out.traffic.emplace_back();
  out.traffic.back().name = "rx";
  out.traffic.back().from = "nic0";
  out.traffic.back().to = "gpu0";
  return out;
}

}  // namespace peerpath::emulator
