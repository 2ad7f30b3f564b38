#include "validation/agent/steering.hpp"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <utility>
#include <vector>

#include "validation/agent/connection.hpp"
#include "validation/agent/file_handle.hpp"
#include "validation/agent/netdev.hpp"

namespace peerpath::agent {
namespace {

constexpr std::uint32_t rule_location = 1;  // not one of the special locations, which not every driver knows

/// One ethtool command; `data` starts with its number.
int ethtool(const std::string& interface, void* data) {
  const FileHandle socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(data);
  return ::ioctl(socket.get(), SIOCETHTOOL, &request);
}

Expected<void> allow_rules(const std::string& interface) {
  ethtool_value flags{};
  flags.cmd = ETHTOOL_GFLAGS;
  if (ethtool(interface, &flags) != 0) return failure("ethtool features of " + interface);
  if ((flags.data & ETH_FLAG_NTUPLE) != 0) return {};
  flags.cmd = ETHTOOL_SFLAGS;
  flags.data |= ETH_FLAG_NTUPLE;
  if (ethtool(interface, &flags) != 0) return failure("ethtool -K " + interface + " ntuple on");
  return {};
}

/// All RSS table entries to queues below `queues`, in turn; 0 restores the driver's own.
Expected<void> spread(const std::string& interface, int queues) {
  ethtool_rxfh_indir size{};
  size.cmd = ETHTOOL_GRXFHINDIR;
  if (ethtool(interface, &size) != 0) return failure("RSS table of " + interface);
  const std::size_t entries = queues == 0 ? 0 : size.size;
  std::vector<std::uint32_t> words(2 + entries);
  words[0] = ETHTOOL_SRXFHINDIR;
  words[1] = static_cast<std::uint32_t>(entries);
  for (std::size_t i = 0; i < entries; ++i)
    words[2 + i] = static_cast<std::uint32_t>(i % static_cast<std::size_t>(queues));
  if (ethtool(interface, words.data()) != 0) return failure("ethtool -X " + interface);
  return {};
}

ethtool_rx_flow_spec flow_to(const sockaddr_storage& to) {
  ethtool_rx_flow_spec flow{};
  const auto& six = reinterpret_cast<const sockaddr_in6&>(to);
  if (to.ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    flow.flow_type = TCP_V6_FLOW;
    std::memcpy(flow.h_u.tcp_ip6_spec.ip6dst, &six.sin6_addr, 16);
    std::memset(flow.m_u.tcp_ip6_spec.ip6dst, 0xff, 16);
    flow.h_u.tcp_ip6_spec.pdst = six.sin6_port;
    flow.m_u.tcp_ip6_spec.pdst = 0xffff;
    return flow;
  }
  flow.flow_type = TCP_V4_FLOW;
  const auto& four = reinterpret_cast<const sockaddr_in&>(to);
  if (to.ss_family == AF_INET6) {
    std::memcpy(&flow.h_u.tcp_ip4_spec.ip4dst, &six.sin6_addr.s6_addr[12], 4);
    flow.h_u.tcp_ip4_spec.pdst = six.sin6_port;
  } else {
    flow.h_u.tcp_ip4_spec.ip4dst = four.sin_addr.s_addr;
    flow.h_u.tcp_ip4_spec.pdst = four.sin_port;
  }
  flow.m_u.tcp_ip4_spec.ip4dst = 0xffffffff;
  flow.m_u.tcp_ip4_spec.pdst = 0xffff;
  return flow;
}

Expected<void> add_rule(const std::string& interface, int queue, const sockaddr_storage& to) {
  ethtool_rxnfc command{};
  command.cmd = ETHTOOL_SRXCLSRLINS;
  command.fs = flow_to(to);
  command.fs.ring_cookie = static_cast<std::uint64_t>(queue);
  command.fs.location = rule_location;
  if (ethtool(interface, &command) != 0) return failure("flow rule of " + interface);
  return {};
}

}  // namespace

Expected<Steering> Steering::apply(const std::string& interface, int queue, const sockaddr_storage& to) {
  if (queue < 1) return tl::unexpected{Failure{"queue 0 serves everything else: take a queue from 1 on"}};
  Steering steering;
  steering.interface_ = interface;
  if (auto done = set_header_split(interface, true); !done) return tl::unexpected{done.error()};
  if (auto done = allow_rules(interface); !done) return tl::unexpected{done.error()};
  if (auto done = spread(interface, queue); !done) return tl::unexpected{done.error()};
  steering.spread_ = true;
  if (auto done = add_rule(interface, queue, to); !done) return tl::unexpected{done.error()};
  steering.rule_ = true;
  return steering;
}

Steering::Steering(Steering&& other) noexcept
    : interface_{std::move(other.interface_)},
      rule_{std::exchange(other.rule_, false)},
      spread_{std::exchange(other.spread_, false)} {}

Steering::~Steering() {
  if (rule_) {
    ethtool_rxnfc command{};
    command.cmd = ETHTOOL_SRXCLSRLDEL;
    command.fs.location = rule_location;
    ethtool(interface_, &command);
  }
  if (spread_) {
    static_cast<void>(spread(interface_, 0));
    static_cast<void>(set_header_split(interface_, false));
  }
}

Expected<std::optional<Steering>> steer(const Traffic& traffic) {
  const auto address = address_of(traffic);
  if (!address) return tl::unexpected{address.error()};
  if (!traffic.configure) return std::nullopt;
  auto applied = Steering::apply(traffic.interface, traffic.queue, *address);
  if (!applied) return tl::unexpected{applied.error()};
  return std::optional{std::move(*applied)};
}

}  // namespace peerpath::agent
