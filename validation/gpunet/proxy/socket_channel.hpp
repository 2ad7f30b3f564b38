// UNIX and TCP sockets as channels.
#pragma once

#include "validation/gpunet/proxy/channel.hpp"

namespace peerpath::gpunet {

class SocketChannel final : public Channel {
 public:
  /// Takes over a socket, which becomes non-blocking with a buffer of this size if it is a UNIX one.
  SocketChannel(int socket, Family family, std::uint64_t buffer_bytes);
  ~SocketChannel() override;
  SocketChannel(const SocketChannel&) = delete;
  SocketChannel& operator=(const SocketChannel&) = delete;

  int bind(const Address& address) override;
  int listen(int backlog) override;
  int accept(std::unique_ptr<Channel>& connection, Address& peer) override;
  int connect(const Address& address) override;
  int finish_connect() override;
  std::int64_t send(std::span<const iovec> pieces) override;
  std::int64_t receive(std::span<const iovec> pieces) override;
  int shutdown(int how) override;
  void reset_at_close() override;
  Gone hung_up() override;
  int descriptor() const override { return socket_; }

 private:
  int socket_;
  Family family_;
  std::uint64_t buffer_bytes_;
};

}  // namespace peerpath::gpunet
