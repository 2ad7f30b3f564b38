#include "validation/gpunet/run/peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

namespace peerpath::gpunet::run {
namespace {

/// For a server to listen: on a processor with much else to do its blocks come to their turn late.
constexpr std::chrono::seconds patience{30};

int checked(int result, const char* call) {
  if (result < 0) throw std::system_error{errno, std::generic_category(), call};
  return result;
}

int open_socket(const Address& address) {
  const bool local = address.family == Family::local;
  const int socket = checked(::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  const int yes = 1;
  if (!local) ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (!local) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return socket;
}

template <class Call>
int on_address(const Address& address, const Call& call) {
  if (address.family == Family::local) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, address.path, sizeof address.path);
    return call(reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address.port);
  to.sin_addr.s_addr = htonl(address.ip);
  return call(reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

}  // namespace

Peer::~Peer() {
  if (socket_ >= 0) ::close(socket_);
}

Peer Peer::listen(const Address& address) {
  Peer peer{open_socket(address)};
  if (address.family == Family::local) ::unlink(address.path);
  checked(on_address(address, [&](const auto* to, socklen_t size) { return ::bind(peer.socket_, to, size); }), "bind");
  checked(::listen(peer.socket_, 1024), "listen");
  return peer;
}

Peer Peer::connect(const Address& address) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    Peer peer{open_socket(address)};
    const int result =
        on_address(address, [&](const auto* to, socklen_t size) { return ::connect(peer.socket_, to, size); });
    if (result == 0) return peer;
    if (std::chrono::steady_clock::now() - start > patience) checked(result, "connect");
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

Peer Peer::accept() { return Peer{checked(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC), "accept")}; }

bool Peer::send(const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto sent = ::send(socket_, static_cast<const char*>(data) + done, bytes - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return false;
    if (sent > 0) done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool Peer::receive(void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const auto got = ::recv(socket_, static_cast<char*>(data) + done, bytes - done, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return false;
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return true;
}

long Peer::receive_some(void* data, std::size_t bytes) { return ::recv(socket_, data, bytes, MSG_DONTWAIT); }

void Peer::buffers(int bytes) {
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

}  // namespace peerpath::gpunet::run
