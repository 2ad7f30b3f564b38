// How a host dictates socket calls to a running block, one at a time.
#pragma once

#include "peerpath/validation/gpunet/sockets.hpp"

namespace peerpath::gpunet::programs {

enum class Verb : std::uint32_t {
  socket,
  bind,
  listen,
  accept,
  connect,
  send,
  receive,
  shutdown,
  close,
  set_blocking,
  end
};

inline constexpr std::uint32_t most_sockets = 16, most_bytes = 1u << 16;

struct Step {
  Verb verb = Verb::end;
  std::uint32_t socket = 0;    ///< index of the program's own; accept: of the listening one
  std::uint32_t argument = 0;  ///< family, backlog, how; accept: index of the new one
  std::uint32_t size = 0, flags = 0;
  Address address;
};

/// In host memory that the GPU maps.
struct Desk {
  std::uint64_t dictated = 0, done = 0;  ///< numbers of steps
  Step step;
  std::int64_t result = 0;
  int descriptors[most_sockets] = {};
  unsigned char bytes[most_bytes] = {};  ///< to send, or received
};

template <Threadblock Block>
constexpr std::int64_t perform(Block& block, Desk& desk, const Step& step) {
  const int descriptor = desk.descriptors[step.socket];
  switch (step.verb) {
    case Verb::socket:
      return gsocket(block, static_cast<Family>(step.argument));
    case Verb::bind:
      return gbind(block, descriptor, step.address);
    case Verb::listen:
      return glisten(block, descriptor, static_cast<int>(step.argument));
    case Verb::accept:
      return gaccept(block, descriptor);
    case Verb::connect:
      return gconnect(block, descriptor, step.address);
    case Verb::send:
      return gsend(block, descriptor, desk.bytes, step.size, static_cast<int>(step.flags));
    case Verb::receive:
      return grecv(block, descriptor, desk.bytes, step.size, static_cast<int>(step.flags));
    case Verb::shutdown:
      return gshutdown(block, descriptor, static_cast<int>(step.argument));
    case Verb::close:
      return gclose(block, descriptor);
    case Verb::set_blocking:
      return gsetblocking(block, descriptor, step.argument != 0);
    case Verb::end:
      break;
  }
  return 0;
}

/// The kernel: performs steps until Verb::end.
template <Threadblock Block>
constexpr void take_dictation(Block& block, Desk& desk) {
  for (std::uint64_t number = 1;; ++number) {
    if (block.thread() == 0)
      for (unsigned looks = 0; block.load(&desk.dictated) != number; ++looks) block.pause(looks);
    block.sync();
    const Step step = desk.step;
    if (step.verb == Verb::end) return;
    const auto result = perform(block, desk, step);
    if (block.thread() == 0) {
      const bool opens = step.verb == Verb::socket || step.verb == Verb::accept;
      const auto index = step.verb == Verb::accept ? step.argument : step.socket;
      if (opens) desk.descriptors[index] = static_cast<int>(result);
      desk.result = result;
    }
    block.sync();
    if (block.thread() == 0) block.publish(&desk.done, number);
  }
}

}  // namespace peerpath::gpunet::programs
