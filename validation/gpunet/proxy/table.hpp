// The sockets of one proxy thread: every `stride`-th slot from `first` on.
#pragma once

#include <vector>

#include "validation/gpunet/proxy/socket.hpp"

namespace peerpath::gpunet {

class Table {
 public:
  Table(const Net& net, std::uint32_t first, std::uint32_t stride);

  bool full() const { return free_.empty(); }
  /// A new socket over a channel, with counters that go on where those of the slot's last one ended. Not if full.
  Socket& open(std::shared_ptr<Channel> channel, Family family);
  /// The socket of a descriptor; null if it was closed, or never was.
  Socket* find(int descriptor);
  void free(Socket& socket);
  int descriptor(const Socket& socket) const { return descriptor_of(socket.slot, socket.generation); }

  /// In use, in the order of their opening.
  const std::vector<Socket*>& used() const { return used_; }
  Socket& at(std::uint32_t slot) { return all_[slot / stride_]; }

 private:
  const Net& net_;
  std::uint32_t first_, stride_;
  std::vector<Socket> all_;
  std::vector<Socket*> used_, free_;
};

}  // namespace peerpath::gpunet
