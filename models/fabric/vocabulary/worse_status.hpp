// Which of two ends of a transaction counts.
#pragma once

#include <algorithm>

#include "peerpath/pcie/tlp.hpp"

namespace peerpath::fabric {

/// The worse of two: success, poisoned, unsupported_request, completer_abort, no_answer. Who refuses a TLP does not
/// look at its data: Unsupported Request and Completer Abort go before Poisoned TLP Received (PCIe Base
/// Spec 6.2.3.2.3).
constexpr pcie::Status worse(pcie::Status a, pcie::Status b) {
  using pcie::Status;
  if (a == Status::poisoned) return b == Status::success ? a : b;
  if (b == Status::poisoned) return a == Status::success ? b : a;
  return std::max(a, b);
}

}  // namespace peerpath::fabric
