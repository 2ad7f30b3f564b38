// The kernel's generic netlink families `netdev` (binding dma-bufs) and `ethtool` (header split).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "validation/agent/outcome.hpp"

struct nl_sock;

namespace peerpath::agent {

struct CloseNetlink {
  void operator()(nl_sock* socket) const;
};
using NetlinkSocket = std::unique_ptr<nl_sock, CloseNetlink>;

/// A dma-buf bound to a network device; unbound when this ends.
class Binding {
 public:
  Binding(NetlinkSocket socket, std::uint32_t id) : socket_{std::move(socket)}, id_{id} {}
  std::uint32_t id() const { return id_; }

 private:
  NetlinkSocket socket_;
  std::uint32_t id_;
};

/// Payload that arrives in receive queue `queue` goes to the dma-buf from now on.
Expected<Binding> bind_rx(const std::string& interface, int queue, int dmabuf);
/// Lets sockets send from the dma-buf.
Expected<Binding> bind_tx(const std::string& interface, int dmabuf);
/// tcp-data-split of ethtool's ring parameters.
Expected<void> set_header_split(const std::string& interface, bool on);

}  // namespace peerpath::agent
