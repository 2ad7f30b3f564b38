#include "traffic/network/setup.hpp"

#include <algorithm>

#include "peerpath/scenario/queues.hpp"

namespace peerpath::platform {
namespace {

/// Flows that come from the transmit entry of this name.
std::uint32_t flows_of_sender(const scenario::Scenario& scenario, const std::string& name) {
  const auto sender = std::ranges::find(scenario.traffic, name, &scenario::Traffic::name);
  const auto entry = static_cast<std::size_t>(sender - scenario.traffic.begin());
  for (const auto& share : transmit_shares(scenario, sender->from))
    if (share.entries.front() == entry) return flows_of(*sender, share.queues.size());
  return 0;
}

}  // namespace

std::uint32_t flows_of(const scenario::Traffic& t, std::size_t queues) {
  const auto each = std::max(1, t.flows / static_cast<int>(queues));
  return static_cast<std::uint32_t>(each) * static_cast<std::uint32_t>(queues);
}

bool goes_through_host(const SetupContext& context, std::size_t entry) {
  const auto& t = context.entry(entry);
  return through_host(t.path) || context.bounced(entry, t.to);
}

std::optional<device::Buffers> buffers_of(const SetupContext& context, std::size_t entry) {
  const auto& to = context.entry(entry).to;
  const auto& device = context.platform.device(to);
  if (const auto open = device.open_memory()) return device::Buffers{device.node(), *open};
  const auto in_window = context.map(entry, to);
  return in_window ? std::optional{device::Buffers{device.node(), *in_window}} : std::nullopt;
}

HostCpu* cpu_of(SetupContext& context, std::size_t entry, const std::string& to_do) {
  const auto rings = context.entry(entry).with_kind([](auto kind, const auto& what) { return kind.rings(what); });
  auto* cpu = context.platform.cpu_of(std::string{rings});
  if (cpu == nullptr) context.problem(entry, "headers_to", "a host needs a host_cpu to " + to_do);
  return cpu;
}

std::vector<FlowRange> flow_ranges(const scenario::Scenario& scenario, const std::string& nic) {
  std::vector<FlowRange> ranges;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const auto& t = scenario.traffic[i];
    if (t.from != nic || !t.is<scenario::traffic::Receive>()) continue;
    const auto sender = t.sender();
    const auto count = sender ? flows_of_sender(scenario, *sender) : static_cast<std::uint32_t>(t.flows);
    ranges.push_back({i, first, count, !sender});
    first += count;
  }
  return ranges;
}

void NamesInTurn::add(const std::string& name) {
  if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
}

}  // namespace peerpath::platform
