// The catalogue of channels.
#include <sys/socket.h>

#include <cerrno>

#include "validation/gpunet/proxy/socket_channel.hpp"

namespace peerpath::gpunet {

std::unique_ptr<Channel> open_channel(Family family, std::uint64_t buffer_bytes, const MakeChannel& others) {
  switch (family) {
    case Family::local:
    case Family::tcp: {
      const int domain = family == Family::local ? AF_UNIX : AF_INET;
      const int socket = ::socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      return socket < 0 ? nullptr : std::make_unique<SocketChannel>(socket, family, buffer_bytes);
    }
    case Family::rdma:
      if (others) return others(family);
      break;
    case Family::none:
      break;
  }
  errno = EAFNOSUPPORT;
  return nullptr;
}

}  // namespace peerpath::gpunet
