// What a domain keeps while it is built.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/pcie_port.hpp"
#include "platform/domain.hpp"
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

  explicit Parts(const DomainConfig& config) : config{config}, plain{config.mode, config.seed} {}

  DomainConfig config;
  platform::Domain plain;
  std::vector<PciePort*> ports;
  std::deque<platform::Port> far;  ///< ends of links to foreign components; a deque, as ports do not move
  /// A foreign component between two ports, and those ports.
  struct Through {
    Between between;
    std::array<const PciePort*, 2> ports;
  };
  std::vector<Through> throughs;
  std::vector<std::unique_ptr<Guide>> guides;
  Passages passages;
  MemoryMap map{plain, passages};
  fabric::DeliverySink* observer = nullptr;
  std::function<bool(fabric::NodeId, fabric::Transaction&)> tamper;
  std::map<std::pair<fabric::NodeId, fabric::NodeId>, UnloadedLatency> latencies;
  std::function<void(const fabric::Topology&, fabric::Fabric&)> when_built;
  bool initiators = false;  ///< there is a foreign one
  bool changed = false;     ///< an action has run
};

}  // namespace peerpath::sc
