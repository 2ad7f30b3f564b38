// A NIC, a GPU and host memory at one switch, and TLPs between them, for tests of traces.
#pragma once

#include "observe/trace/formats.hpp"

namespace peerpath::trace {

struct TestScene {
  static constexpr fabric::NodeId sw{0}, nic{1}, gpu{2};
  static constexpr fabric::LinkId to_nic{0}, to_gpu{1};

  TestScene() {
    using namespace literals;
    scene.topology.add_router("sw0", {std::chrono::nanoseconds{100}});
    for (const auto* name : {"nic0", "gpu0"}) {
      const auto node = scene.topology.add_endpoint(name, {.max_payload = 256_B, .max_read_request = 512_B});
      scene.topology.connect(sw, node, {.rate = 500_Gbps}, {.rate = 500_Gbps});
      scene.kinds = {"pcie_switch", "nic", "gpu"};
      scene.links.push_back({std::string{name} + "-sw0", "Gen5 x16", 1});
    }
  }

  /// What crosses a link at `start`; `away`: from the switch.
  fabric::TlpRecord record(fabric::LinkId link, bool away, pcie::TlpClass tlp_class, std::uint64_t number,
                           const fabric::Transaction& asked, std::uint64_t address, Bytes payload,
                           std::int64_t start_ns) const {
    fabric::TlpRecord tlp;
    tlp.link = link;
    tlp.direction = away ? 0 : 1;
    tlp.tlp_class = tlp_class;
    tlp.op = asked.op;
    tlp.purpose = asked.purpose;
    tlp.requester = nic;
    tlp.target = asked.target;
    tlp.cookie = number;
    tlp.address = address;
    tlp.payload = payload;
    tlp.start = Instant{std::chrono::nanoseconds{start_ns}};
    tlp.end = tlp.start + std::chrono::nanoseconds{5};
    return tlp;
  }

  observe::Scene scene;
};

/// A read of 1000 B by the NIC from an address of the GPU that no boundary is at.
inline fabric::Transaction test_read() {
  fabric::Transaction read;
  read.op = pcie::Operation::memory_read;
  read.target = TestScene::gpu;
  read.address = 0x100000010;
  read.bytes = Bytes{1000};
  return read;
}

}  // namespace peerpath::trace
