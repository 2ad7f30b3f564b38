// Sockets for GPU programs: every call is made by a whole threadblock with the same arguments, and returns the same to
// each thread. Results are those of the calls of POSIX without the g; errors are errno values, negative.
//
// The API follows GPUnet (Kim et al., OSDI'14). A socket may be sent on by one block while another one receives.
#pragma once

#include "peerpath/validation/gpunet/receive.hpp"
#include "peerpath/validation/gpunet/send.hpp"
#include "peerpath/validation/gpunet/wait.hpp"

namespace peerpath::gpunet {

/// A descriptor. Blocking. EMFILE where all sockets of the net are in use, EAFNOSUPPORT where the channel is missing.
template <Threadblock Block>
constexpr int gsocket(Block& block, Family family) {
  Call call;
  call.operation = Operation::socket;
  call.argument = static_cast<std::uint32_t>(family);
  return detail::ask_for_socket(block, call);
}

/// Whether calls on the socket wait.
template <Threadblock Block>
constexpr int gsetblocking(Block& block, int descriptor, bool waits) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  block.sync();
  if (block.thread() == 0) state->waits = waits;
  block.sync();
  return 0;
}

template <Threadblock Block>
constexpr int gbind(Block& block, int descriptor, const Address& address) {
  if (!detail::state_of(block, descriptor)) return -EBADF;
  Call call;
  call.operation = Operation::bind;
  call.descriptor = descriptor;
  call.address = address;
  return detail::ask(block, call);
}

template <Threadblock Block>
constexpr int glisten(Block& block, int descriptor, int backlog) {
  if (!detail::state_of(block, descriptor)) return -EBADF;
  Call call;
  call.operation = Operation::listen;
  call.descriptor = descriptor;
  call.argument = static_cast<std::uint32_t>(backlog);
  return detail::ask(block, call);
}

/// The descriptor of a new connection, which is blocking whatever the listening socket is. Several blocks may wait on
/// one listening socket.
template <Threadblock Block>
constexpr int gaccept(Block& block, int descriptor, Address* peer = nullptr) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  Call call;
  call.operation = Operation::accept;
  call.descriptor = descriptor;
  call.wait = state->waits;
  return detail::ask_for_socket(block, call, peer);
}

template <Threadblock Block>
constexpr int gconnect(Block& block, int descriptor, const Address& address) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  Call call;
  call.operation = Operation::connect;
  call.descriptor = descriptor;
  call.wait = state->waits;
  call.address = address;
  const int result = detail::ask(block, call);
  if (result == 0 && block.thread() == 0) detail::take_connected(block, *state);
  block.sync();
  return result;
}

/// `how` as of shutdown(2): 0 receiving, 1 sending, 2 both. What was sent before still goes out.
template <Threadblock Block>
constexpr int gshutdown(Block& block, int descriptor, int how) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  Call call;
  call.operation = Operation::shutdown;
  call.descriptor = descriptor;
  call.argument = static_cast<std::uint32_t>(how);
  call.out_next = state->out_next;
  const int result = detail::ask(block, call);
  if (result == 0 && how != 0 && block.thread() == 0) state->send_shut = 1;
  block.sync();
  return result;
}

/// Returns at once; what was sent before still goes out. Received bytes that nobody took reset a TCP connection.
template <Threadblock Block>
constexpr int gclose(Block& block, int descriptor) {
  auto* state = detail::state_of(block, descriptor);
  if (!state) return -EBADF;
  Call call;
  call.operation = Operation::close;
  call.descriptor = descriptor;
  call.in_next = state->in_next;
  call.in_offset = state->in_offset;
  call.out_next = state->out_next;
  block.sync();
  // Before the proxy hears of it: from its answer on the slot may belong to a socket of another block.
  if (block.thread() == 0) state->generation = 0;
  return detail::ask(block, call);
}

}  // namespace peerpath::gpunet
