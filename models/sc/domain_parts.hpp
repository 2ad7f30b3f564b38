// What a domain keeps while it is built.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/pcie_port.hpp"
#include "sc/foreign_endpoint.hpp"
#include "sc/guide.hpp"
#include "sc/memory_map.hpp"
#include "sc/passages.hpp"
#include "sc/unloaded.hpp"

namespace peerpath::sc {

/// What has been built so far. Foreign endpoints see each delivery at their nodes, and so does the observer.
struct Domain::Parts final : fabric::DeliverySink {
  void deliver(const fabric::Delivery& delivery) override {
    if (observer != nullptr) observer->deliver(delivery);
    if (auto* foreign = map.foreign_at(delivery.target)) foreign->see(delivery);
  }

  DomainConfig config;
  fabric::Topology topology;
  std::vector<PciePort*> ports;
  std::map<const PciePort*, fabric::LinkId> links;
  /// A device, until the fabric is made: only then it is known whether a guide has to stand before it.
  struct Attached {
    device::Endpoint* device = nullptr;
    Place place{};
    std::unique_ptr<Guide> guide{};
  };
  std::vector<Attached> devices;
  std::vector<std::function<void()>> plug;  ///< what is fed and joined, when the devices are attached
  Passages passages;
  MemoryMap map{passages};
  fabric::DeliverySink* observer = nullptr;
  std::function<bool(fabric::NodeId, fabric::Transaction&)> tamper;
  std::map<std::pair<fabric::NodeId, fabric::NodeId>, UnloadedLatency> latencies;
  std::function<void(const fabric::Topology&, fabric::Fabric&)> when_built;
  struct Turns {
    const PciePort *ingress, *egress;
    int turns;
  };
  std::vector<Turns> turns;
  Bytes max_payload{128};  ///< of the hierarchy
  bool wires = false;
  bool initiators = false;  ///< there is a foreign one
  bool changed = false;     ///< an action has run
};

}  // namespace peerpath::sc
