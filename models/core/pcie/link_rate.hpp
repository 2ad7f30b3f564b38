// What a PCIe link has left for TLPs, and how often it must carry DLLPs: derived from its shape, never typed by hand.
#pragma once

#include "peerpath/base/time.hpp"
#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"
#include "peerpath/pcie/tlp.hpp"

namespace peerpath::pcie {

/// The part of fabric::LinkDirection that follows from the shape of a link.
struct LinkTiming {
  BitRate rate{};  ///< for TLPs and counted DLLPs: line coding, SKP and link_share taken off
  Bytes framing = link_framing;
  Duration ack_interval{};  ///< TLPs this far apart cause one ACK each on the opposite direction; 0: none
  Duration fc_interval{};   ///< the same for UpdateFC
};

/// Bits per second after the line coding: 8b/10b (Gen1, Gen2), 128b/130b (Gen3 to Gen5), and in Gen6 the 236 TLP bytes
/// of each 256 B FLIT (approximate: bytes of a FLIT that no TLP fills are not modelled). PCIe Base Spec 6.0, 4.2.
BitRate coded_rate(LinkShape shape);

/// A symbol time of one lane: 10 bit times with 8b/10b, 8 bit times else.
Duration symbol_time(int generation);

/// Limit on the time from a TLP received to its ACK, and on the interval of UpdateFCs, in symbol times: (MPS + 28 B)
/// x factor / width + internal delay (PCIe Base Spec 5.0, 2.6.1.2 and 3.6.3.1; tables 2-46..48 and 3-7..9).
int ack_limit_symbols(LinkShape shape, Bytes max_payload);

/// Timing of each direction of a link. An SKP ordered set takes 4 of 1538 bytes. `counted` leaves the DLLPs to the
/// fabric: one ACK and one UpdateFC per ack limit, caused by received TLPs. `published` charges both to the sender, as
/// 8 B each per ack-limit bytes of the whole link, as the published closed form does
/// (github.com/pcie-bench/pcie-model). A Gen6 FLIT has room for its ACKs and credits, so Gen6 has no DLLPs in either
/// form. `link_share` (0..1, taken to six decimals) is what a real link reaches of the modelled rate.
LinkTiming link_timing(LinkShape shape, Bytes max_payload, DllpAccounting accounting, double link_share = 1.0);

}  // namespace peerpath::pcie
