#include "validation/gpunet/proxy/socket_channel.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace peerpath::gpunet {
namespace {

int answer(int result) { return result < 0 ? -errno : result; }

/// An address as the kernel takes it.
struct KernelAddress {
  union {
    sockaddr any;
    sockaddr_in ip;
    sockaddr_un local;
  };
  socklen_t size = 0;

  explicit KernelAddress(const Address& address) {
    std::memset(&local, 0, sizeof local);
    if (address.family == Family::local) {
      local.sun_family = AF_UNIX;
      std::memcpy(local.sun_path, address.path, sizeof address.path);
      size = sizeof local;
    } else {
      ip.sin_family = AF_INET;
      ip.sin_port = htons(address.port);
      ip.sin_addr.s_addr = htonl(address.ip);
      size = sizeof ip;
    }
  }
};

bool too_long(const Address& address) {
  return address.family == Family::local && address.path[Address::longest_path] != 0;
}

}  // namespace

SocketChannel::SocketChannel(int socket, Family family, std::uint64_t buffer_bytes)
    : socket_{socket}, family_{family}, buffer_bytes_{buffer_bytes} {
  const int size = static_cast<int>(buffer_bytes), yes = 1;
  if (family == Family::local)  // the sender's buffer is all that there is; TCP finds its own by the path
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  else
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

SocketChannel::~SocketChannel() { ::close(socket_); }

int SocketChannel::bind(const Address& address) {
  if (too_long(address)) return -ENAMETOOLONG;
  if (family_ == Family::tcp) {
    const int yes = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  const KernelAddress to{address};
  return answer(::bind(socket_, &to.any, to.size));
}

int SocketChannel::listen(int backlog) { return answer(::listen(socket_, backlog)); }

int SocketChannel::accept(std::unique_ptr<Channel>& connection, Address& peer) {
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const bool tcp = family_ == Family::tcp;
  const int socket = ::accept4(socket_, tcp ? reinterpret_cast<sockaddr*>(&from) : nullptr, tcp ? &size : nullptr,
                               SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) return -errno;
  peer = Address{};
  peer.family = family_;
  if (tcp) peer.ip = ntohl(from.sin_addr.s_addr), peer.port = ntohs(from.sin_port);
  connection = std::make_unique<SocketChannel>(socket, family_, buffer_bytes_);
  return 0;
}

int SocketChannel::connect(const Address& address) {
  if (too_long(address)) return -ENAMETOOLONG;
  const KernelAddress to{address};
  return answer(::connect(socket_, &to.any, to.size));
}

int SocketChannel::finish_connect() {
  pollfd item{.fd = socket_, .events = POLLOUT, .revents = 0};
  if (::poll(&item, 1, 0) <= 0) return -EINPROGRESS;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  // The next connect would find a socket that is still connecting, and answer otherwise than on one that waited.
  sockaddr_in peer{};
  size = sizeof peer;
  if (error != 0) peer.sin_family = AF_UNSPEC;
  if (error == 0 && ::getpeername(socket_, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return -errno;
  if (family_ == Family::tcp) ::connect(socket_, reinterpret_cast<const sockaddr*>(&peer), sizeof peer);
  return -error;
}

std::int64_t SocketChannel::send(std::span<const iovec> pieces) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  const auto sent = ::sendmsg(socket_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

std::int64_t SocketChannel::receive(std::span<const iovec> pieces) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());
  message.msg_iovlen = pieces.size();
  const auto got = ::recvmsg(socket_, &message, MSG_DONTWAIT);
  return got < 0 ? -errno : got;
}

int SocketChannel::shutdown(int how) { return answer(::shutdown(socket_, how)); }

void SocketChannel::reset_at_close() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  if (family_ == Family::tcp) ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

SocketChannel::Gone SocketChannel::hung_up() {
  pollfd item{.fd = socket_, .events = 0, .revents = 0};
  if (::poll(&item, 1, 0) <= 0 || (item.revents & (POLLHUP | POLLERR)) == 0) return {};
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (family_ == Family::local) return {EPIPE, error};
  return {error ? error : EPIPE, 0};
}

}  // namespace peerpath::gpunet
