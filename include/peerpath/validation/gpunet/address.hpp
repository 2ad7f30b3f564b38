// Where a socket of a GPU program is bound to or connects to. The same bytes on GPU and CPU.
#pragma once

#include <cstdint>

namespace peerpath::gpunet {

/// What carries the bytes. `rdma` is a reliable connection of verbs, set up by TCP at the same address and port.
enum class Family : std::uint16_t { none = 0, local = 1, tcp = 2, rdma = 3 };

/// A path for `local` (UNIX sockets), an IPv4 address and port for the others, both in host byte order.
struct Address {
  static constexpr int longest_path = 103;  ///< bytes, without the closing zero
  Family family = Family::none;
  std::uint16_t port = 0;
  std::uint32_t ip = 0;
  char path[longest_path + 1] = {};
};

/// A longer path is cut; bind and connect then fail with ENAMETOOLONG.
constexpr Address local_address(const char* path) {
  Address address;
  address.family = Family::local;
  for (int i = 0; i <= Address::longest_path && path[i] != 0; ++i) address.path[i] = path[i];
  return address;
}

constexpr Address tcp_address(std::uint32_t ip, std::uint16_t port) {
  Address address;
  address.family = Family::tcp;
  address.ip = ip;
  address.port = port;
  return address;
}

/// Of an interface that an RDMA device is on; the port is TCP's.
constexpr Address rdma_address(std::uint32_t ip, std::uint16_t port) {
  Address address = tcp_address(ip, port);
  address.family = Family::rdma;
  return address;
}

inline constexpr std::uint32_t loopback = 0x7f000001, any_ip = 0;

}  // namespace peerpath::gpunet
