#include "validation/gpunet/layout.hpp"

namespace peerpath::gpunet {
namespace {

/// Hands out pieces one after the other, each on lines of its own.
class Cutter {
 public:
  explicit Cutter(unsigned char* base) : base_{base} {}
  template <class T>
  T* take(std::size_t count) {
    auto* at = base_ + used_;
    used_ = (used_ + count * sizeof(T) + 4095) / 4096 * 4096;
    return reinterpret_cast<T*>(at);
  }
  std::size_t used() const { return used_; }

 private:
  unsigned char* base_;
  std::size_t used_ = 0;
};

Net cut(const Dimensions& size, Cutter& cutter) {
  Net net;
  net.size = size;
  net.calls_made = cutter.take<std::uint64_t>(size.blocks);
  net.taken = cutter.take<std::uint64_t>(size.sockets);
  net.calls_answered = cutter.take<std::uint64_t>(size.blocks);
  net.sent = cutter.take<std::uint64_t>(size.sockets);
  net.stop = cutter.take<std::uint64_t>(1);
  net.calls = cutter.take<Call>(size.blocks);
  net.out = cutter.take<Entry>(std::size_t{size.sockets} * entries);
  net.in = cutter.take<Entry>(std::size_t{size.sockets} * entries);
  net.out_ring = cutter.take<unsigned char>(size.sockets * size.ring_bytes);
  net.in_ring = cutter.take<unsigned char>(size.sockets * size.ring_bytes);
  return net;
}

}  // namespace

std::size_t host_bytes(const Dimensions& size) {
  alignas(16) unsigned char nothing[1] = {};
  Cutter cutter{nothing};
  cut(size, cutter);
  return cutter.used();
}

Net lay_out(const Dimensions& size, unsigned char* base, SocketState* state) {
  Cutter cutter{base};
  auto net = cut(size, cutter);
  net.state = state;
  return net;
}

}  // namespace peerpath::gpunet
