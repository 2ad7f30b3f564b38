// The devices of a scenario, bound and set up.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/ledger.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "platform/devices/dma_card.hpp"
#include "platform/devices/gpu.hpp"
#include "platform/devices/host_cpu.hpp"
#include "platform/devices/host_memory.hpp"
#include "platform/devices/nic.hpp"
#include "platform/devices/pcie_switch.hpp"
#include "platform/devices/root_complex.hpp"
#include "platform/domain.hpp"

namespace peerpath::host {
class RefusedWrites;
}  // namespace peerpath::host

namespace peerpath::platform {

/// The devices of a scenario, by their names, and the links between them.
class Platform {
 public:
  Platform(const scenario::Scenario& scenario, fabric::Mode mode);
  ~Platform();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  Domain domain;
  // Hosts before what refers to them.
  std::map<std::string, std::unique_ptr<RootComplex>> root_complexes;
  std::map<std::string, std::unique_ptr<HostMemory>> memories;
  std::map<std::string, std::unique_ptr<PcieSwitch>> switches;
  std::map<std::string, std::unique_ptr<Gpu>> gpus;
  std::map<std::string, std::unique_ptr<Nic>> nics;
  std::map<std::string, std::unique_ptr<DmaCard>> cards;
  std::map<std::string, std::unique_ptr<HostCpu>> cpus;

  /// The fabric's node of a device; cores have that of their memory.
  fabric::NodeId node(const std::string& device) const;
  /// Where others reach the memory of a device: a card's BAR, or a fresh piece of a GPU's window or of DRAM.
  BusAddress memory_of(const std::string& device, Bytes size);
  /// The cores that serve a NIC: those of the host whose memory is called so, else the first.
  HostCpu* cpu_of(const std::string& memory);

  /// The link by whose farther end a device is; when the domain is built.
  fabric::LinkId link_above(const std::string& device) const;
  /// The direction of that link, towards the root complex or away from it.
  int direction(const std::string& device, bool up) const;
  /// The link above a device has trained to this shape.
  void retrain(fabric::Fabric& fabric, const std::string& device, pcie::LinkShape shape) const;
  /// Gives a router an endpoint that answers with `status` whatever is routed to it; before the domain is built.
  fabric::LinkId add_trap(const std::string& bridge, pcie::Status status);
  /// That endpoint of a router, if it has one.
  std::optional<fabric::LinkId> trap_of(const std::string& bridge, pcie::Status status) const;
  /// From now on counts what comes to memories of hosts and GPUs to be written and is refused there; before the
  /// domain is built.
  void count_refused_writes();
  /// By the memory's name; none if they are not counted.
  const std::map<std::string, std::unique_ptr<host::RefusedWrites>>& refused_writes() const { return refused_; }

  /// By link of the fabric; when the domain is built.
  std::vector<observe::LinkLabel> labels() const;

 private:
  struct Joint {
    const Port* nearer = nullptr;
    std::string shape;
    std::string farther;
  };
  const Joint& joint_above(const std::string& device) const;
  void add_device(const scenario::Device& device, const scenario::Scenario& scenario);
  void add_link(const scenario::Link& link, std::uint32_t number);
  const Port& port_towards(const std::string& router, const std::string& other) const;
  Port& take_port(const std::string& end, bool upstream);
  HostMemory* any_memory() { return memories.empty() ? nullptr : memories.begin()->second.get(); }

  std::map<std::string, fabric::NodeId> nodes_;
  std::map<std::string, std::string> memory_of_root_, memory_of_cpu_;
  std::map<std::string, int> ports_taken_;
  std::vector<Joint> joints_;
  std::map<std::pair<std::string, pcie::Status>, fabric::LinkId> traps_;  ///< by router and answer
  std::map<std::string, std::unique_ptr<host::RefusedWrites>> refused_;
};

}  // namespace peerpath::platform
