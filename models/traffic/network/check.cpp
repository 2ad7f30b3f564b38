#include "traffic/network/check.hpp"

#include <algorithm>

#include "scenario/document.hpp"
#include "traffic/network/kind.hpp"

namespace peerpath::scenario::traffic {
namespace {

void check_registered(const Network& network, TrafficCheck& check, const Device* to) {
  if (!network.registered || to == nullptr) return;
  const auto path = check.traffic().path;
  if (!std::holds_alternative<device::GpuConfig>(to->config))
    check.add("registered", "requires memory of a gpu; " + what_is(*to));
  else if (through_host(path))
    check.add("registered", "has no effect with path " + std::string{name_of(path)} + ", which maps no GPU memory");
  else if (*network.registered > reachable(*to))
    check.add("registered",
              to_text(*network.registered) + " is more than " + to->name + " has, " + to_text(reachable(*to)));
}

void check_headers(const Network& network, TrafficCheck& check) {
  const auto& t = check.traffic();
  const auto& tree = check.tree();
  const auto& headers_to = network.headers_to;
  const auto* memory = config_of<device::HostMemoryConfig>(tree.find(headers_to));
  if (memory == nullptr) return;
  if (host_of(headers_to) != host_of(t.from))
    return check.add("headers_to", headers_to + " is in another host than " + t.from);
  if (config_of<device::RootComplexConfig>(tree.find(memory->at)) != nullptr &&
      tree.standing_at<device::HostCpuConfig>(memory->at).empty() && !tree.all<device::HostCpuConfig>().empty())
    check.add("headers_to", "no host_cpu belongs to " + memory->at + ", whose cores would use " + headers_to);
  if (t.to != headers_to && config_of<device::HostMemoryConfig>(tree.find(t.to)) != nullptr)
    check.add("to", "payload in host memory must be in the memory of the rings, " + headers_to +
                        "; \"headers_to\": \"" + t.to + "\" has both there");
  if (const auto& rings = check.rings_of(t.from, headers_to); rings != headers_to)
    check.add("headers_to", "the rings of " + t.from + " are in " + rings +
                                " already, set by an earlier entry; all rings of a NIC are in one memory");
}

}  // namespace

void NetworkKind::complete(Network& network, const Scenario& scenario, const Tree& tree, std::size_t entry) {
  if (!network.headers_to.empty()) return;
  const auto& from = scenario.traffic[entry].from;
  network.headers_to = tree.standing_at<device::HostMemoryConfig>(tree.root_of(from));
  if (!network.headers_to.empty()) return;
  const auto memories = tree.all_of<device::HostMemoryConfig>(host_of(from));
  if (memories.size() == 1) network.headers_to = memories.front();
}

std::vector<std::pair<std::string, std::string>> NetworkKind::completed(const Network& network) {
  if (network.headers_to.empty()) return {};
  return {{"headers_to", "the only host_memory"}};
}

NetworkEnds check_ends(const Network& network, TrafficCheck& check, std::string_view gpu_needed) {
  const Traffic& t = check.traffic();
  const Device* from = check.end<device::NicConfig>("from", t.from, "a nic");
  const Device* to = check.memory_end("to", t.to);
  check.end<device::HostMemoryConfig>("headers_to", network.headers_to, "a host_memory");
  if (check.tree().all<device::HostCpuConfig>().empty())
    check.add("kind", std::string{t.kind()} +
                          " needs a host_cpu to run the driver; add a device of \"kind\": \"host_cpu\", or " +
                          "extend a preset with one, for example hardware/emerald_rapids_host.json");
  if (through_host(t.path) && to != nullptr && !std::holds_alternative<device::GpuConfig>(to->config))
    check.add("path", std::string{name_of(t.path)} + std::string{gpu_needed} + what_is(*to));
  check_registered(network, check, to);
  if (has_ends(check)) check_headers(network, check);
  return {config_of<device::NicConfig>(from), to};
}

const Cable* cable_of(const TrafficCheck& check, const std::string& nic) {
  if (config_of<device::NicConfig>(check.tree().find(nic)) == nullptr) return nullptr;
  const auto joins = [&](const Cable& c) { return c.from != c.to && (c.from == nic || c.to == nic); };
  const auto& cables = check.scenario().cables;
  const auto found = std::ranges::find_if(cables, joins);
  return found == cables.end() ? nullptr : &*found;
}

bool has_ends(const TrafficCheck& check) {
  const auto& t = check.traffic();
  return check.tree().find(t.from) != nullptr && check.tree().find(t.to) != nullptr;
}

void check_card(TrafficCheck& check, const NetworkEnds& ends, Bytes each, std::string_view what) {
  const auto* card = config_of<device::DmaCardConfig>(ends.to);
  if (card == nullptr) return;
  const Traffic& t = check.traffic();
  // As if all queues of the NIC were this traffic's.
  const Bytes all = each * (std::int64_t{ends.nic->ring_entries} * ends.nic->queues);
  if (all > card->memory)
    check.add("to", t.to + " has " + to_text(card->memory) + " of memory, not enough for the " + std::string{what} +
                        " in the rings of " + t.from + ", " + to_text(all));
}

void check_sizes(TrafficCheck& check, Bytes most, const std::string& limit) {
  const auto& t = check.traffic();
  for (std::size_t i = 0; i < t.sizes.size() && !t.replays(); ++i)
    if (t.sizes[i] > most) check.add(join("sizes", i), to_text(t.sizes[i]) + limit);
}

void check_queues(TrafficCheck& check, const std::string& nic, const std::vector<QueueShare>& shares,
                  std::string_view groups) {
  for (const QueueShare& share : shares)
    if (share.queues.empty())
      check.add(share.entries.front(), "from", nic + " has fewer queues than " + std::string{groups});
}

}  // namespace peerpath::scenario::traffic
