// Which receive queue gets what: ethtool's flow rules and RSS table.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

#include "validation/agent/outcome.hpp"
#include "validation/agent/traffic.hpp"

namespace peerpath::agent {

/// TCP to one address and port goes to `queue`, all else to the queues below it; header split is on. Undone at the end.
class Steering {
 public:
  /// `to`: an IPv4 or IPv6 socket address (IPv4-mapped counts as IPv4). `queue` at least 1.
  static Expected<Steering> apply(const std::string& interface, int queue, const sockaddr_storage& to);
  Steering(Steering&& other) noexcept;
  Steering& operator=(Steering&&) = delete;
  ~Steering();

 private:
  Steering() = default;
  std::string interface_;
  bool rule_ = false, spread_ = false;
};

/// Of the traffic to its queue; none if nothing is to be configured.
Expected<std::optional<Steering>> steer(const Traffic& traffic);

}  // namespace peerpath::agent
