#include "scenario/check/event_check.hpp"

#include <algorithm>

#include "scenario/catalogue.hpp"
#include "scenario/document.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {

const Link* EventCheck::link_above() const {
  const auto above = tree_.uplink(device_.name);
  return above ? &scenario_.links[*above] : nullptr;
}

void EventCheck::add(std::string_view key, std::string message) {
  out_.push_back({"", 0, 0, at_ + "/" + std::string{key}, std::move(message)});
}

void EventCheck::needs_link() {
  if (link_above() == nullptr)
    add("device", what_is(device_) + " without a link towards the root complex; name the downstream end of the link");
}

void EventCheck::needs_nic() {
  if (!with_kind(device_, [](auto kind, const auto&) { return kind.has_wire; }))
    add("device", what_is(device_) + ", which has no Ethernet port; name a nic");
}

void EventCheck::needs_memory(const std::string& why) {
  if (tree_.standing_at<device::HostMemoryConfig>(tree_.root_of(device_.name)).empty())
    add("kind", why + "; needs a host_memory");
}

void EventCheck::needs_memory_of_iommu() {
  if (iommu_of(tree_, device_.name) != nullptr)
    needs_memory("requests refused by the IOMMU are answered at the memory of its root complex");
}

bool EventCheck::needs_function(std::string_view otherwise) {
  if (function_of(device_) != nullptr) return true;
  add("device", what_is(device_) + std::string{otherwise});
  return false;
}

void EventCheck::needs_payload(bool writes_alone, std::string_view otherwise) {
  if (std::ranges::none_of(scenario_.traffic, [&](const Traffic& t) { return moves(t, writes_alone); }))
    add("device", what_is(device_) + std::string{otherwise});
}

/// Whether the device moves payload of the traffic, or writes it.
bool EventCheck::moves(const Traffic& t, bool writes_alone) const {
  const auto* gpu = std::get_if<device::GpuConfig>(&device_.config);
  const bool writes = t.with_kind([](auto kind, const auto&) { return kind.writes; });
  const bool asks = std::ranges::any_of(t.legs(), [&](const traffic::Leg& leg) { return leg.from == device_.name; });
  if (asks) return writes || !writes_alone;
  // The copy engine of a bounce moves payload in the opposite role: it reads for receive and writes for transmit.
  const bool bounces =
      scenario::through_host(t.path) || (gpu != nullptr && gpu->bar1.when_full == device::Bar1Full::bounce);
  const bool copies = bounces && t.with_kind([](auto kind, const auto&) { return kind.by_driver; });
  return copies && t.to == device_.name && (!writes || !writes_alone);
}

}  // namespace peerpath::scenario
