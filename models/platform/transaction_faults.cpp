#include "platform/transaction_faults.hpp"

#include <algorithm>

#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace event = scenario::event;

TransactionFaults::TransactionFaults(const scenario::Scenario& scenario, const Platform& platform) {
  for (const auto& [name, memory] : platform.all<HostMemory>()) memories_.insert(memory->node());
  for (const auto& device : scenario.devices) {
    const auto* function = scenario::function_of(device);
    if (function != nullptr && function->relaxed_ordering) relaxed_.insert(platform.node(device.name));
    if (function != nullptr && function->id_based_ordering) by_id_.insert(platform.node(device.name));
  }
  auto events = scenario.events;
  std::ranges::stable_sort(events, {}, &scenario::Event::at);
  for (const auto& event : events) add(event, platform.node(event.device));
  any_ = !(answers_.empty() && silences_.empty() && poisons_.empty() && spoofs_.empty() && unmapped_.empty() &&
           relaxed_.empty() && by_id_.empty());
}

void TransactionFaults::add(const scenario::Event& event, fabric::NodeId node) {
  const Instant at{event.at};
  if (const auto* answer = event.as<event::Answer>()) answers_[node].push_back({at, answer->status});
  if (const auto* poison = event.as<event::Poison>()) poisons_[node].push_back({at, poison->writes});
  if (const auto* spoof = event.as<event::WrongRequesterId>())
    spoofs_[node].push_back({at, spoof->transfers == 0 ? -1 : spoof->transfers});
  if (event.is<event::IommuFault>()) unmapped_.try_emplace(node, at);
  if (event.is<event::SurpriseDown>()) silences_[node].push_back({at, never});
  if (const auto* reset = event.as<event::PortReset>()) silences_[node].push_back({at, at + reset->outage});
}

/// Completions go by the ID in the request: those to an ID that nobody has never come, and the request times out.
void TransactionFaults::spoof(fabric::NodeId from, fabric::Transaction& t) {
  const auto spoofs = spoofs_.find(from);
  if (spoofs == spoofs_.end()) return;
  for (auto& spoof : spoofs->second) {
    if (t.ready < spoof.from || spoof.transfers == 0) continue;
    if (spoof.transfers > 0) --spoof.transfers;
    t.spoofed = true;
    if (request_class(t.op) == pcie::TlpClass::non_posted) t.answer = pcie::Status::no_answer;
    return;
  }
}

bool TransactionFaults::change(fabric::NodeId from, fabric::Transaction& t) {
  if (const auto silences = silences_.find(from); silences != silences_.end())
    for (const auto& silence : silences->second)
      if (t.ready >= silence.from && t.ready < silence.until) return false;
  if (const auto answers = answers_.find(t.target); answers != answers_.end())
    for (const auto& answer : answers->second)
      if (t.ready >= answer.from) t.answer = answer.status;
  if (relaxed_.contains(from) && (t.op == pcie::Operation::memory_read || t.purpose == pcie::Purpose::payload))
    t.relaxed_ordering = true;  // all reads: one completion without RO holds up those behind it
  if (by_id_.contains(from)) t.id_based_ordering = true;
  // Translations that the device has (ATS) are taken back with the mappings.
  if (const auto unmapped = unmapped_.find(from);
      unmapped != unmapped_.end() && t.ready >= unmapped->second && memories_.contains(t.target))
    t.answer = pcie::Status::unsupported_request;
  if (t.purpose != pcie::Purpose::payload) return true;
  spoof(from, t);
  if (t.op != pcie::Operation::memory_write) return true;
  if (const auto poisons = poisons_.find(from); poisons != poisons_.end())
    for (auto& poison : poisons->second) {
      if (t.ready < poison.from || poison.writes == 0) continue;
      --poison.writes;
      // Who refuses it does not look at its data (PCIe Base Spec 6.2.3.2.3).
      if (t.answer == pcie::Status::success) t.answer = pcie::Status::poisoned;
      break;
    }
  return true;
}

}  // namespace peerpath::platform
