// A capture of all links for Wireshark: tools/wireshark/peerpath_tlp.lua shows the TLPs.
#pragma once

#include <memory>

#include "observe/trace/formats.hpp"

namespace peerpath::trace {

/// An interface for each link of PCIe (its TLPs: header, and the length of data that has no content here), and for each
/// Ethernet port (its frames' headers). A packet's comment says what it is for, who asked whom, and which transaction
/// it belongs to. Inbound is towards the root complex, or into the NIC.
std::unique_ptr<Sink> make_pcapng(std::ostream& out, const Subject& subject);

}  // namespace peerpath::trace
