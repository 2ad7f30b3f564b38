// How traces spell what they show.
#pragma once

#include <string>

#include "observe/trace/sink.hpp"

namespace peerpath::trace {

/// "MWr", "MRd", "CplD": the short names of PCIe Base Spec table 2-3.
std::string tlp_type(const Tlp& tlp);
/// "completion entry"
std::string purpose_text(pcie::Purpose purpose);
/// "00:03.0" (function_id)
std::string function_name(fabric::NodeId node);
/// Who sent the TLP first: the requester, or of a completion the completer.
inline fabric::NodeId sender(const Tlp& tlp) {
  return tlp.record.tlp_class == pcie::TlpClass::completion ? tlp.record.target : tlp.record.requester;
}

}  // namespace peerpath::trace
