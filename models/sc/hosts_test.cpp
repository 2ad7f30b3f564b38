// Hosts that share a GPU below one switch, as no scenario has them: a platform of one's own may.
#include <gtest/gtest.h>

#include "devices/host_cpu/host_cpu.hpp"
#include "devices/nic/nic.hpp"
#include "peerpath/sc/modules.hpp"
#include "peerpath/sc/time.hpp"

namespace peerpath::sc {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// A root complex with memory, cores and a NIC that sends what a GPU elsewhere holds, bounced.
struct Host {
  Host(const std::string& number, Domain& domain)
      : root{("rc" + number).c_str(), domain, 2},
        memory{("dram" + number).c_str(), domain},
        cpu{("cpu" + number).c_str(), domain, memory},
        nic{("nic" + number).c_str(), domain, memory} {
    root.memory.bind(memory.port, {.internal = true});
    root.port(0).bind(nic.pcie);
  }
  void send(Gpu& gpu, Bytes packet) {
    cpu.send(nic, {.queue = 0, .from = &gpu, .bounce = true, .packet = packet, .interval = 10us});
  }

  RootComplex root;
  HostMemory memory;
  HostCpu cpu;
  Nic nic;
};

TEST(Hosts, ShareTheCopyEnginesOfAGpu) {
  Domain pcie{"pcie"};
  PcieSwitch bridge{"bridge", pcie, 3};
  Host a{"0", pcie}, b{"1", pcie};
  Gpu gpu{"gpu", pcie};
  bridge.port(0).bind(a.root.port(1));
  bridge.port(1).bind(b.root.port(1));
  bridge.port(2).bind(gpu.pcie);
  a.send(gpu, 4096_B);
  b.send(gpu, 2048_B);
  sc_core::sc_start(to_sc_time(Duration{205us}));

  // Asked for at 0, 10, ... 200 us; what is copied lags by less than 30 us.
  for (auto* host : {&a, &b}) {
    const auto packet = host == &a ? 4096_B : 2048_B;
    const auto& done = host->cpu.behaviour().counters();
    EXPECT_GE(done.copied, packet * 18);
    EXPECT_LE(done.copied, packet * 21);
    EXPECT_EQ(host->nic.behaviour().counters().bad_descriptors, 0);
    EXPECT_GE(host->nic.behaviour().counters().tx_payload, packet * 17);
  }
}

}  // namespace
}  // namespace peerpath::sc
