// What bit errors cost a link that replays (PCIe Base Spec 3.6: ACK/NAK protocol).
#pragma once

namespace peerpath::analytic {

/// Independent bit errors, one in `bits_per_error`; a TLP with one in any of its `bits` is sent again. The number of
/// transmissions is geometric: replays per TLP = (1 - q) / q with q = exp(-bits / bits_per_error) the chance to pass.
double replays_per_tlp(double bits, double bits_per_error);

/// Share of the error-free goodput that is left: each replay costs the line `serialisation` + `recovery`, since what is
/// sent between the error and the replay is discarded (go-back-N). Times in one unit.
double goodput_share(double replays_per_tlp, double serialisation, double recovery);

}  // namespace peerpath::analytic
