#include "peerpath/scenario/events/iommu_fault.hpp"

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string IommuFault::text(const std::string& device) { return "the IOMMU refuses " + device + " from now on"; }

void IommuFault::check(const Event& event, EventCheck& check) {
  if (const auto* root = check.tree().root_config(event.device); root != nullptr && !root->iommu)
    check.add("kind", "no IOMMU is enabled; add \"iommu\" to " + check.tree().root_of(event.device));
  check.needs_memory_of_iommu();
  check.needs_function(", which does no DMA");
}

}  // namespace peerpath::scenario::event
