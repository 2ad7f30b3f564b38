// What a grid is given to do. One kernel serves all applications.
#pragma once

#include "peerpath/validation/gpunet/sockets.hpp"

namespace peerpath::gpunet::apps {

enum class Job : std::uint32_t {
  dictation,
  echo_serve,
  stream_send,
  stream_receive,
  count_words,
  cluster,
  serve_faces
};

/// Each application says which of these it uses. Pointers are to memory that the grid reads and writes.
struct Task {
  Job job = Job::dictation;
  Address address;            ///< where it listens or connects; of several ends, the first
  Address service;            ///< of another server that it needs
  std::uint64_t bytes = 0;    ///< of a message, or of the input
  std::uint64_t count = 0;    ///< of messages, connections or rounds; 0: without end
  std::uint32_t first = 0;    ///< number of this grid's first worker among all grids'
  std::uint32_t workers = 0;  ///< of all grids together
  std::uint32_t clusters = 0;
  std::uint32_t check_every = 1;  ///< messages of which one is looked at, 0: none
  const unsigned char* input = nullptr;
  unsigned char* memory = nullptr;  ///< scratch
  std::uint64_t* results = nullptr;
  std::uint64_t* shared = nullptr;  ///< words between blocks, zero at the start
  void* desk = nullptr;             ///< programs::Desk
};

/// A socket that listens there, made by block 0 for all blocks of a grid. Negative errno.
template <Threadblock Block>
constexpr int listen_for_all(Block& block, const Task& task, int backlog) {
  constexpr std::uint64_t made = std::uint64_t{1} << 32;
  int result = 0;
  if (block.index() == 0) {
    result = gsocket(block, task.address.family);
    if (result >= 0)
      if (const int error = gbind(block, result, task.address)) result = error;
    if (result >= 0)
      if (const int error = glisten(block, result, backlog)) result = error;
    if (block.thread() == 0) block.publish(task.shared, made | static_cast<std::uint32_t>(result));
    block.sync();
    return result;
  }
  if (block.thread() == 0) {
    detail::Patience patience{block};
    int error = 0;
    while ((block.load(task.shared) & made) == 0 && error == 0) error = patience.look_again();
    result = error ? -error : static_cast<int>(static_cast<std::uint32_t>(block.load(task.shared)));
  }
  return static_cast<int>(detail::tell(block, result));
}

/// Connects to a server that may not be there yet: tries until it is, or the host stops the net.
template <Threadblock Block>
constexpr int connect_soon(Block& block, const Address& address) {
  for (detail::Patience patience{block};;) {
    const int socket = gsocket(block, address.family);
    if (socket < 0) return socket;
    const int error = gconnect(block, socket, address);
    if (error == 0) return socket;
    gclose(block, socket);
    if (error != -ECONNREFUSED && error != -ENOENT) return error;
    for (int n = 0; n < 64; ++n)
      if (const int stop = patience.look_again()) return -stop;
  }
}

/// The address of worker `n`: ports, or the ends of paths, count on from the first.
constexpr Address address_of(const Address& first, std::uint32_t n) {
  Address address = first;
  if (first.family != Family::local) {
    address.port = static_cast<std::uint16_t>(first.port + n);
    return address;
  }
  int end = 0;
  while (address.path[end] != 0) ++end;
  address.path[end++] = '.';
  for (std::uint32_t power = 1000; power > 0; power /= 10)
    address.path[end++] = static_cast<char>('0' + n / power % 10);
  return address;
}

}  // namespace peerpath::gpunet::apps
