// What a NIC's queues, received into or sent from, are set up with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices/nic/platform.hpp"
#include "platform/kind_setup.hpp"

namespace peerpath::platform {

/// Flows of a transmit entry: each of its queues has as many as the others, one at least.
std::uint32_t flows_of(const scenario::Traffic& t, std::size_t queues);

/// Whether payload of the entry lies in host memory on its way, by its path or for want of room in a GPU's window.
bool goes_through_host(const SetupContext& context, std::size_t entry);

/// Where the payload of a NIC's traffic is, if that is known before its queues are set up.
std::optional<device::Buffers> buffers_of(const SetupContext& context, std::size_t entry);

/// The cores that drive the queues of an entry; nullptr, with a problem, if there are none.
HostCpu* cpu_of(SetupContext& context, std::size_t entry, const std::string& to_do);

/// Where the frames of a receive entry begin among those of its NIC.
struct FlowRange {
  std::size_t entry = 0;
  std::uint32_t first = 0, count = 0;
  bool is_fed = true;  ///< by a source; else another NIC sends its frames
};
/// Of all receive entries of a NIC, in their order.
std::vector<FlowRange> flow_ranges(const scenario::Scenario& scenario, const std::string& nic);

/// Names of the devices that entries come from, once each, in the order of the entries: that in which queues get cores.
class NamesInTurn {
 public:
  void add(const std::string& name);
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

}  // namespace peerpath::platform
