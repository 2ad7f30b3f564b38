// A small made-up run for the tests of this folder: one stream, one switch, two used links.
#pragma once

#include "peerpath/observe/results.hpp"

namespace peerpath::observe {

using namespace literals;
using namespace std::chrono_literals;

inline LinkResult sample_link(std::string farther, std::string nearer) {
  LinkResult link;
  link.name = farther + "-" + nearer;
  link.farther = std::move(farther);
  link.nearer = std::move(nearer);
  link.shape = "Gen5 x16";
  link.up.rate = link.down.rate = 500_Gbps;
  return link;
}

/// 100 packets of 4000 B in 10 us from nic0 through switch0 to gpu0: 320 Gb/s; 8 B headers go up to rc0.
inline Results sample_results() {
  Results results;
  results.window = results.wanted_window = 10us;
  TrafficResult traffic;
  traffic.name = "stream";
  traffic.kind = "receive";
  traffic.path = "zero_copy";
  traffic.from = "nic0";
  traffic.to = "gpu0";
  traffic.requesters = {"nic0"};
  traffic.offered_packets = traffic.delivered_packets = 100;
  traffic.offered_payload = traffic.delivered_payload = 400'000_B;
  traffic.crossed = {0_B, 400'000_B, 400'000_B};
  for (int i = 1; i <= 100; ++i) traffic.latency.record(i * 10ns);
  results.traffic.push_back(traffic);

  auto nic = sample_link("nic0", "switch0");
  nic.up.rows.push_back({"nic0", pcie::Purpose::payload, 1600, 400'000_B, 32'000_B});
  nic.up.rows.push_back({"nic0", pcie::Purpose::header, 100, 800_B, 2'000_B});
  nic.up.busy = 8us;
  nic.down.dllps = 50;
  nic.down.signalling = Duration{6'400'000};  // 50 times 8 B at 500 Gb/s
  auto gpu = sample_link("gpu0", "switch0");
  gpu.down.rows.push_back({"nic0", pcie::Purpose::payload, 1600, 400'000_B, 32'000_B});
  gpu.down.busy = 7500ns;
  auto upstream = sample_link("switch0", "rc0");
  upstream.up.rows.push_back({"nic0", pcie::Purpose::header, 100, 800_B, 2'000_B});
  upstream.up.busy = 50ns;
  results.links = {upstream, nic, gpu};

  results.cpus.push_back({"cpu0", 4, 10us, 0_B, 7us});
  results.memories.push_back({"dram0", 0_B, 800_B, 1600_Gbps, 1600_Gbps});
  results.resources.push_back({"nic0 Ethernet port", 9800ns, 10us});
  results.metrics.push_back({"nic0.interrupts", "1", Decimal{3, 0}, "Interrupts raised"});
  return results;
}

}  // namespace peerpath::observe
