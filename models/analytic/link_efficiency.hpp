// Payload that a saturated PCIe link carries, in closed form. Source of the `published` form: R. Neugebauer et al.,
// "Understanding PCIe performance for end host networking", SIGCOMM 2018, with its code
// (github.com/pcie-bench/pcie-model).
#pragma once

#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::analytic {

/// A link and the settings of the function at its end. Addresses are of 64 bits, so requests have headers of four
/// double words; no ECRC.
struct LinkUse {
  pcie::LinkShape shape{};
  Bytes max_payload{256};
  Bytes max_read_request{512};
  pcie::DllpAccounting dllp = pcie::DllpAccounting::counted;
  double link_share = 1.0;
};

/// One-way posted writes: each MPS of payload costs header and framing. With counted DLLPs nothing else uses the
/// direction: ACKs and credits of writes travel the other way.
BitRate write_rate(const LinkUse& use);

/// Reads: completions of MPS against header and framing on one direction, requests of MRRS on the other; the slower
/// counts. With counted DLLPs the direction of the completions also carries an ACK and an UpdateFC for the requests.
BitRate read_rate(const LinkUse& use);

/// Reads and writes at the same rate, which is returned: writes and read requests share one direction.
BitRate read_write_rate(const LinkUse& use);

}  // namespace peerpath::analytic
