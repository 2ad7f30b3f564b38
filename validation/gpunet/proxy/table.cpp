#include "validation/gpunet/proxy/table.hpp"

#include <algorithm>

#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet {

Table::Table(const Net& net, std::uint32_t first, std::uint32_t stride)
    : net_{net}, first_{first}, stride_{stride}, all_((net.size.sockets - first + stride - 1) / stride) {
  for (std::size_t i = all_.size(); i-- > 0;) {
    all_[i].slot = first + static_cast<std::uint32_t>(i) * stride;
    free_.push_back(&all_[i]);
  }
}

Socket& Table::open(std::shared_ptr<Channel> channel, Family family) {
  auto& socket = *free_.back();
  free_.pop_back();
  const auto generation = socket.generation % last_generation + 1;
  Socket next;
  next.channel = std::move(channel);
  next.family = family;
  next.slot = socket.slot;
  next.generation = generation;
  next.out.next = socket.out.next;
  next.in.next = socket.in.next;
  next.in.base = next.in.returned = socket.in.next - 1;
  socket = std::move(next);
  store(net_.sent + socket.slot, sent_word(socket.out.next - 1, 0));
  used_.push_back(&socket);
  return socket;
}

Socket* Table::find(int descriptor) {
  const auto slot = slot_of(descriptor);
  if (descriptor < 0 || slot >= net_.size.sockets || slot % stride_ != first_) return nullptr;
  auto& socket = at(slot);
  const bool same = socket.channel && !socket.closing && socket.generation == generation_of(descriptor);
  return same ? &socket : nullptr;
}

void Table::free(Socket& socket) {
  socket.channel.reset();
  socket.out.next = socket.last_out;
  used_.erase(std::find(used_.begin(), used_.end(), &socket));
  free_.insert(free_.begin(), &socket);  // the longest free is taken first: descriptors differ for long
}

}  // namespace peerpath::gpunet
