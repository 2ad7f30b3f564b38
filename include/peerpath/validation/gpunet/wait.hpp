// How a thread of a block waits for a word, and how a block asks the proxy.
#pragma once

#include <cerrno>

#include "peerpath/validation/gpunet/block.hpp"

namespace peerpath::gpunet::detail {

/// A wait that ends when the host stops the net or its limit is over. Looks over PCIe at the stop word now and then.
template <Threadblock Block>
class Patience {
 public:
  constexpr explicit Patience(Block& block) : block_{block} {}
  /// 0, or the errno to give up with. Pauses.
  constexpr int look_again() {
    block_.pause(looks_);
    if (++looks_ % 64 != 0) return 0;
    if (block_.load(block_.net().stop) != 0) return ECONNABORTED;
    const auto limit = block_.net().most_wait_ns;
    if (limit == 0) return 0;
    const auto now = block_.now();
    if (start_ == 0) start_ = now;
    return now - start_ > limit ? ETIMEDOUT : 0;
  }

 private:
  Block& block_;
  unsigned looks_ = 0;
  std::uint64_t start_ = 0;
};

/// The socket of a descriptor, or null.
template <Threadblock Block>
constexpr SocketState* state_of(Block& block, int descriptor) {
  const auto slot = slot_of(descriptor);
  if (descriptor < 0 || slot >= block.net().size.sockets) return nullptr;
  auto* state = block.net().state + slot;
  return state->generation != 0 && state->generation == generation_of(descriptor) ? state : nullptr;
}

/// What thread 0 found, told to all.
template <Threadblock Block>
constexpr std::int64_t tell(Block& block, std::int64_t result) {
  if (block.thread() == 0) block.shared().result = result;
  block.sync();
  result = block.shared().result;
  block.sync();
  return result;
}

/// By thread 0 alone: the call goes into the block's mailbox, whose answer is waited for. Negative errno if it fails.
template <Threadblock Block>
constexpr int exchange(Block& block, const Call& call) {
  const auto& net = block.net();
  auto* made = net.calls_made + block.index();
  const auto word = made_word(number_made(block.load(made)) + 1, call, block.index());
  net.calls[block.index()] = call;
  block.publish(made, word);
  Patience patience{block};
  while (block.load(net.calls_answered + block.index()) != word)
    if (const int error = patience.look_again()) return -error;
  return net.calls[block.index()].result;
}

/// The same for a whole block.
template <Threadblock Block>
constexpr int ask(Block& block, const Call& call) {
  return static_cast<int>(tell(block, block.thread() == 0 ? exchange(block, call) : 0));
}

/// By thread 0, after a call that found the socket connected.
template <Threadblock Block>
constexpr void take_connected(Block& block, SocketState& state) {
  state.connected = block.net().calls[block.index()].connected;
}

/// Before a send or a receive: asks the proxy about a socket that is not known to be connected. 0, or a negative errno.
template <Threadblock Block>
constexpr int ask_if_connected(Block& block, SocketState& state, int descriptor, Operation operation) {
  if (state.connected) return 0;
  Call call;
  call.operation = operation;
  call.descriptor = descriptor;
  const int result = ask(block, call);
  if (result < 0) return result;
  if (block.thread() == 0) take_connected(block, state);
  block.sync();
  return 0;
}

/// By thread 0: a socket that the proxy has just made, with nothing sent or received.
template <Threadblock Block>
constexpr void open_state(Block& block, int descriptor, const Call& answer) {
  auto& state = block.net().state[slot_of(descriptor)];
  state.waits = 1;
  state.connected = answer.connected;
  state.send_shut = state.error_taken = 0;
  state.out_next = answer.next_out;
  state.out_sent = answer.next_out - 1;
  state.in_next = answer.next_in;
  state.in_reported = answer.next_in - 1;
  state.in_offset = 0;
  state.out_position = state.out_begin = state.in_position = state.in_reported_position = 0;
  state.out_end[state.out_sent % entries] = 0;
  state.generation = generation_of(descriptor);
}

/// A call that makes a socket, by a whole block. A descriptor, or a negative errno.
template <Threadblock Block>
constexpr int ask_for_socket(Block& block, const Call& call, Address* peer = nullptr) {
  int result = 0;
  if (block.thread() == 0) {
    result = exchange(block, call);
    const auto& answer = block.net().calls[block.index()];
    if (result >= 0) open_state(block, result, answer);
    if (result >= 0 && peer) *peer = answer.peer;
  }
  return static_cast<int>(tell(block, result));
}

}  // namespace peerpath::gpunet::detail
