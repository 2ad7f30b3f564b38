#include "validation/agent/connection.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace peerpath::agent {
namespace {

socklen_t length_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

Expected<FileHandle> open_socket(const Traffic& traffic, const sockaddr_storage& address) {
  FileHandle socket{::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!socket) return failure("socket");
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (traffic.mss > 0 && ::setsockopt(socket.get(), IPPROTO_TCP, TCP_MAXSEG, &traffic.mss, sizeof traffic.mss) != 0) {
    return failure("TCP_MAXSEG");
  }
  // Sending from device memory, and receiving into it, is done by one device.
  if (!traffic.interface.empty() && ::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, traffic.interface.c_str(),
                                                 static_cast<socklen_t>(traffic.interface.size() + 1)) != 0) {
    return failure("SO_BINDTODEVICE " + traffic.interface);
  }
  return socket;
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Expected<sockaddr_storage> address_of(const Traffic& traffic) {
  sockaddr_storage out{};
  auto& four = reinterpret_cast<sockaddr_in&>(out);
  auto& six = reinterpret_cast<sockaddr_in6&>(out);
  const auto port = htons(static_cast<std::uint16_t>(traffic.port));
  if (::inet_pton(AF_INET, traffic.address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = port;
  } else if (::inet_pton(AF_INET6, traffic.address.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = port;
  } else {
    return tl::unexpected{Failure{"'" + traffic.address + "' is not an IPv4 or IPv6 address"}};
  }
  return out;
}

Expected<FileHandle> listen_at(const Traffic& traffic) {
  const auto address = address_of(traffic);
  if (!address) return tl::unexpected{address.error()};
  auto socket = open_socket(traffic, *address);
  if (!socket) return socket;
  if (::bind(socket->get(), reinterpret_cast<const sockaddr*>(&*address), length_of(*address)) != 0 ||
      ::listen(socket->get(), 1) != 0) {
    return failure("listen at " + traffic.address);
  }
  std::fprintf(stderr, "listening at %s port %d\n", traffic.address.c_str(), traffic.port);
  return socket;
}

Expected<FileHandle> accept_one(const FileHandle& listener) {
  FileHandle socket{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (!socket) return failure("accept");
  return socket;
}

Expected<FileHandle> connect_to(const Traffic& traffic) {
  const auto address = address_of(traffic);
  if (!address) return tl::unexpected{address.error()};
  const auto end = now() + traffic.timeout_s;
  for (;;) {
    auto socket = open_socket(traffic, *address);
    if (!socket) return socket;
    if (::connect(socket->get(), reinterpret_cast<const sockaddr*>(&*address), length_of(*address)) == 0) return socket;
    if (now() > end) return failure("connect to " + traffic.address);
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
}

}  // namespace peerpath::agent
