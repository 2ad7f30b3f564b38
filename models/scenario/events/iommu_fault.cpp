#include "peerpath/scenario/events/iommu_fault.hpp"

#include "scenario/event_check.hpp"

namespace peerpath::scenario::event {

std::string IommuFault::text(const std::string& device) { return "the IOMMU refuses " + device + " from now on"; }

void IommuFault::check(const Event& event, EventCheck& check) {
  if (const auto* root = check.tree().root_config(event.device); root != nullptr && !root->iommu)
    check.add("kind", "no IOMMU is on that could refuse anything; give " + check.tree().root_of(event.device) +
                          " an \"iommu\"");
  check.needs_memory_of_iommu();
  check.needs_function(", which asks for nothing by DMA");
}

}  // namespace peerpath::scenario::event
