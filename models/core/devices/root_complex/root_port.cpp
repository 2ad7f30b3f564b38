#include "core/devices/root_complex/root_port.hpp"

namespace peerpath::root_complex {

RootPort::RootPort(const device::RootComplexConfig& config) {
  if (config.iommu) iommu_.emplace(*config.iommu);
}

Instant RootPort::pass(const fabric::GatedTlp& tlp) {
  // Interrupt messages are remapped by a table of their own, which is not modelled.
  const bool untranslated =
      tlp.tlp_class != pcie::TlpClass::completion && !tlp.translated && tlp.purpose != pcie::Purpose::interrupt;
  return iommu_ && untranslated ? iommu_->translate(tlp.address, tlp.at) : tlp.at;
}

}  // namespace peerpath::root_complex
