#include "scenario/check/check.hpp"
#include "devices/nic/kind.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<NicConfig>::check(const NicConfig& nic, scenario::DeviceCheck& check) {
  if (!check.has_memory()) check.add_device("needs a host_memory for its rings");
  check.power_of_two("ring_entries", nic.ring_entries, std::to_string(nic.ring_entries));
  if (!nic.ats) return;
  if (const auto* iommu = check.iommu(); iommu == nullptr)
    check.add("ats", "no root_complex has an \"iommu\", so there is nothing to translate");
  else if (nic.ats->page_size > iommu->page_size)
    check.add("ats/page_size", std::string{name_of(nic.ats->page_size)} + " is more than a page of the IOMMU, " +
                                   std::string{name_of(iommu->page_size)} + ": no translation covers it");
}

}  // namespace peerpath::device
