// Loads a host's PCIe as a wire does, without a network, and measures what it carries.
#pragma once

#include "platform/network/host_model.hpp"

namespace peerpath::network_run {

/// What packets of one size bring and ask for.
struct WireLoad {
  Bytes payload{}, frame{};       ///< of a packet; `frame` with preamble and gap
  BitRate receive{}, transmit{};  ///< of frames; 0: none
  Bytes message{};                ///< sent whole, and then a pause as long as it takes on the wire; 0: no pauses
};

/// In the measured window, payload alone.
struct WireRates {
  observe::Decimal received_gbps{}, sent_gbps{};
  Duration receive_latency{};  ///< last bit in to payload in memory, median
  Duration send_latency{};     ///< asked for to in the NIC, median
  Duration first_latency{};    ///< of messages: from asking for the first packet to having it, mean
  BitRate message_rate{};      ///< at which the rest of a message comes
  Bytes transmit_buffer{};
  HostLimit limit{};
};

/// Packets that find 256 KiB of others in the NIC wait outside; it reads ahead what its transmit buffer holds, and
/// sends at the rate. 100 us are measured, after 30.
tl::expected<WireRates, Problems> probe(const scenario::Loaded& node, const WireLoad& load);

}  // namespace peerpath::network_run
