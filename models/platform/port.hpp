// A PCIe port of a device of a platform.
#pragma once

#include "peerpath/fabric/gate.hpp"
#include "peerpath/platform/link_config.hpp"

namespace peerpath::platform {

/// One end of a link, or of none as long as nothing is bound to it. A domain refers to its ports: they stay in place.
struct Port {
  explicit Port(fabric::NodeId node) : node{node} {}
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  fabric::NodeId node;
  LinkConfig link{};             ///< `bind` sets it
  fabric::Gate* gate = nullptr;  ///< asked about what comes in by this port; set before the fabric is made
  Port* peer = nullptr;
  /// Where foreign components stand between two ports: the one beyond them.
  Port* beyond = nullptr;
};

/// The port that this one is joined to, by a link or through foreign components; nullptr if there is none.
inline Port* across(const Port& port) { return port.beyond != nullptr ? port.beyond : port.peer; }

/// Joins two ports by a link.
void bind(Port& a, Port& b, const LinkConfig& config = {});

}  // namespace peerpath::platform
