#include "devices/root_complex/kind.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<RootComplexConfig>::check(const RootComplexConfig& root, scenario::DeviceCheck& check) {
  check.acs(root.acs);
  if (!root.forwards_peers) check.needs_memory("forwards_peers", "peers send");
  if (root.peer_to_peer) {
    check.zero_or_counted("peer_to_peer/write_rate", root.peer_to_peer->write_rate);
    check.zero_or_counted("peer_to_peer/read_rate", root.peer_to_peer->read_rate);
  }
  if (root.credits) {
    check.units("credits/write_credits", root.credits->write_credits);
    check.units("credits/read_credits", root.credits->read_credits);
  }
  if (root.ordered_writes) check.units("ordered_writes/lines", root.ordered_writes->lines);
  if (root.iommu) check.units("iommu/walkers", root.iommu->walkers);
  if (!root.iommu || root.iommu->ways == 0 || root.iommu->entries % root.iommu->ways == 0) return;
  check.add("iommu/ways", std::to_string(root.iommu->ways) + " does not divide the " +
                              std::to_string(root.iommu->entries) + " entries; 0 is fully associative");
}

}  // namespace peerpath::device
