// What the AER registers of a platform's devices would hold after a run.
#pragma once

#include <vector>

#include "core/pcie/address_map.hpp"
#include "observe/ledger.hpp"
#include "peerpath/observe/results.hpp"
#include "platform/meter.hpp"
#include "platform/platform.hpp"

namespace peerpath::platform {

/// When something begins or ceases to refuse requests, in order.
std::vector<Instant> refusal_turns(const scenario::Scenario& scenario);

/// Of each error since the start: who reports it, how severe it is, its bit, and the header of the first TLP.
/// A request that is refused with a completion is advisory, so correctable (PCIe Base Spec 6.2.3.2.4.1); one without
/// (posted) is not. Bit errors are Bad TLPs of the receiver, a lost UpdateFC a Bad DLLP of its receiver, which is the
/// transmitter of the credits. `counted` is of the end of the run: it says which router has stopped whose requests. A
/// spoofed read that was stopped is known when it times out at its requester, so its record says when it was sent.
std::vector<observe::ErrorRecord> error_records(const scenario::Scenario& scenario, const Platform& platform,
                                                const Meter& meter, const observe::Snapshot& counted,
                                                const observe::Results& results);

/// What a header says besides what its delivery knows.
struct HeaderFields {
  Bytes max_payload{}, max_read_request{};
  int traffic_class = 0;
  bool relaxed_ordering = false, id_based_ordering = false;
  bool digest = false;
  pcie::Bdf requester{};
};

/// The header of the first request TLP of a transaction (2.2.1). The requester ID of a spoofed request is ff:00.0; tags
/// are not kept, so 0.
std::array<std::uint32_t, 4> header_log(const fabric::Delivery& failed, const HeaderFields& fields);

}  // namespace peerpath::platform
