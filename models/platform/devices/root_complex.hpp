// A root complex of a platform.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/root_complex/root_port.hpp"
#include "peerpath/device/config.hpp"
#include "platform/domain.hpp"

namespace peerpath::platform {

/// The root complex: root ports, and `memory`, the way to host memory.
class RootComplex {
 public:
  RootComplex(const std::string& name, Domain& domain, int ports, const device::RootComplexConfig& config = {});
  RootComplex(const RootComplex&) = delete;
  RootComplex& operator=(const RootComplex&) = delete;
  fabric::NodeId node() const { return node_; }
  Port& port(int number) { return *ports_.at(static_cast<std::size_t>(number)); }
  /// What passes at each root port; none if nothing has to.
  const std::vector<std::unique_ptr<root_complex::RootPort>>& gates() const { return gates_; }
  /// What peers' writes pass, for each root port with something behind it; none without a limit.
  const std::vector<std::unique_ptr<root_complex::PeerWrites>>& peer_writes() const { return peer_writes_; }

 private:
  void complete();

  fabric::NodeId node_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<std::unique_ptr<root_complex::RootPort>> gates_;
  std::optional<device::PeerConfig> peers_;
  std::vector<std::unique_ptr<root_complex::PeerWrites>> peer_writes_;

 public:
  Port memory;
};

}  // namespace peerpath::platform
