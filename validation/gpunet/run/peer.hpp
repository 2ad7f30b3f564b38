// The other end of a connection: a plain CPU program with plain sockets.
#pragma once

#include <cstddef>

#include "peerpath/validation/gpunet/address.hpp"

namespace peerpath::gpunet::run {

/// A socket that is closed with it. Throws std::system_error where a call fails.
class Peer {
 public:
  static Peer listen(const Address& address);
  /// Tries for 30 s: the server may not be there yet.
  static Peer connect(const Address& address);
  explicit Peer(int socket) : socket_{socket} {}
  ~Peer();
  Peer(Peer&& other) noexcept : socket_{other.socket_} { other.socket_ = -1; }
  Peer& operator=(Peer&&) = delete;

  Peer accept();
  /// Whole, without sleeping while it waits. False if the connection ended.
  bool send(const void* data, std::size_t bytes);
  bool receive(void* data, std::size_t bytes);
  /// As recv(2), without waiting: -1 if there is nothing yet.
  long receive_some(void* data, std::size_t bytes);
  void buffers(int bytes);

 private:
  int socket_;
};

}  // namespace peerpath::gpunet::run
