// Apart from connection.cpp: the kernel's <linux/tcp.h>, whose tcp_info is the longer one, cannot stand beside
// <netinet/tcp.h>.
#include <linux/tcp.h>
#include <netinet/in.h>

#include "validation/agent/connection.hpp"

namespace peerpath::agent {

std::uint64_t retransmitted(const FileHandle& connection) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(connection.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_retrans;
}

}  // namespace peerpath::agent
