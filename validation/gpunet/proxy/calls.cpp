#include "validation/gpunet/proxy/calls.hpp"

#include <cerrno>

#include "validation/gpunet/proxy/inbound.hpp"

namespace peerpath::gpunet {

std::optional<int> Calls::handle(Call& call) {
  if (call.operation == Operation::socket) return open(call);
  if (call.operation == Operation::accept) return accept(call);
  auto* socket = table_.find(call.descriptor);
  if (!socket) return -EBADF;
  switch (call.operation) {
    case Operation::bind:
      return socket->channel->bind(call.address);
    case Operation::listen:
      return listen(*socket, call);
    case Operation::connect:
      return connect(*socket, call);
    case Operation::shutdown:
      return shutdown(*socket, call);
    case Operation::close:
      return close(*socket, call);
    case Operation::send:
    case Operation::receive:
      return not_connected(*socket, call);
    case Operation::socket:
    case Operation::accept:
      break;
  }
  return -ENOSYS;
}

int Calls::opened(std::shared_ptr<Channel> channel, Family family, bool connected, Call& call) {
  auto& socket = table_.open(std::move(channel), family);
  socket.connected = connected;
  call.connected = socket.told();
  call.next_in = socket.in.next;
  call.next_out = socket.out.next;
  return table_.descriptor(socket);
}

std::optional<int> Calls::open(Call& call) {
  if (table_.full()) return -EMFILE;
  const auto family = static_cast<Family>(call.argument);
  auto channel = open_channel(family, options_.buffer_bytes, options_.others);
  if (!channel) return -errno;
  return opened(std::move(channel), family, false, call);
}

std::optional<int> Calls::accept(Call& call) {
  const auto listener = listeners_.at(call.descriptor);
  if (!listener.channel) return -EINVAL;
  if (table_.full()) return -EMFILE;
  std::unique_ptr<Channel> connection;
  const int error = listener.channel->accept(connection, call.peer);
  if (error == -EAGAIN && call.wait) return std::nullopt;
  if (error < 0) return error;
  return opened(std::move(connection), listener.family, true, call);
}

std::optional<int> Calls::connect(Socket& socket, Call& call) {
  int result = 0;
  if (socket.connecting && call.wait)
    result = socket.channel->finish_connect();
  else
    result = socket.channel->connect(call.address);
  socket.connecting = result == -EINPROGRESS || result == -EALREADY;
  socket.connected |= result == 0;
  call.connected = socket.told();
  const bool later = socket.connecting || (result == -EAGAIN && socket.family == Family::local);
  if (later && call.wait) return std::nullopt;
  return result;
}

int Calls::listen(Socket& socket, const Call& call) {
  const int result = socket.channel->listen(static_cast<int>(call.argument));
  if (result == 0) listeners_.add(call.descriptor, {socket.channel, socket.family});
  return result;
}

/// A send or receive of a socket that the GPU does not know to be connected: the connection may have come about since;
/// otherwise the channel says what is wrong.
std::optional<int> Calls::not_connected(Socket& socket, Call& call) {
  if (socket.connecting) {
    const int result = socket.channel->finish_connect();
    socket.connecting = result == -EINPROGRESS;
    if (socket.connecting) return call.wait ? std::nullopt : std::optional<int>{-EAGAIN};
    socket.connected = result == 0;
    if (result < 0) return result;
  }
  call.connected = socket.told();
  if (socket.connected) return 0;
  unsigned char byte = 0;
  const std::array piece{iovec{&byte, 1}};
  const auto result = call.operation == Operation::send ? socket.channel->send(piece) : socket.channel->receive(piece);
  return result < 0 ? static_cast<int>(result) : -ENOTCONN;
}

int Calls::shutdown(Socket& socket, const Call& call) {
  const auto how = static_cast<int>(call.argument);
  const bool drained = socket.out.error != 0 || socket.out.next == call.out_next;
  if (!socket.connected || how == 0 || drained) {
    const int result = socket.channel->shutdown(how);
    socket.in.readable = true;
    if (result == 0 && how != 0) socket.out.shut = true;
    return result;
  }
  if (how == 2) socket.channel->shutdown(0);
  socket.out.shut_wanted = true;
  socket.out.shut_at = call.out_next;
  return 0;
}

int Calls::close(Socket& socket, const Call& call) {
  listeners_.remove(call.descriptor);
  const bool unread = socket.connected && leaves_bytes(socket, call.in_next, call.in_offset);
  socket.last_out = call.out_next;
  if (unread) socket.channel->reset_at_close();
  const bool lost = unread && socket.family == Family::tcp;  // a reset overtakes what was not sent
  const bool sent = socket.out.next == call.out_next && (!socket.connected || socket.channel->settled());
  if (!socket.connected || lost || socket.out.error != 0 || sent) {
    table_.free(socket);
    return 0;
  }
  socket.closing = true;
  socket.close_by = Clock::now() + options_.linger;
  return 0;
}

}  // namespace peerpath::gpunet
