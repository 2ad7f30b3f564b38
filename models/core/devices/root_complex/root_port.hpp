// What comes in by a root port and has to pass the host's own machinery: address translation.
#pragma once

#include <optional>

#include "core/host/iommu.hpp"
#include "peerpath/device/config.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::root_complex {

/// The gate of the direction into the root complex at one root port.
class RootPort final : public fabric::Gate {
 public:
  explicit RootPort(const device::RootComplexConfig& config);

  Instant pass(const fabric::GatedTlp& tlp) override;

  /// Whether its root ports need gates.
  static bool wanted(const device::RootComplexConfig& config) { return config.iommu.has_value(); }
  /// nullptr without one.
  host::Iommu* iommu() { return iommu_ ? &*iommu_ : nullptr; }
  const host::Iommu* iommu() const { return iommu_ ? &*iommu_ : nullptr; }

 private:
  std::optional<host::Iommu> iommu_;
};

}  // namespace peerpath::root_complex
