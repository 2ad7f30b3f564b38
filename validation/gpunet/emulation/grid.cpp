#include "validation/gpunet/emulation/grid.hpp"

#include <cstring>
#include <new>

#include "validation/gpunet/layout.hpp"

namespace peerpath::gpunet::emulation {

Grid::Grid(const Net& net, const GridOptions& options, Kernel kernel) : kernel_{std::move(kernel)} {
  for (unsigned b = 0; b < options.blocks; ++b) {
    groups_.push_back(std::make_unique<Group>(net, b, options.threads));
    groups_.back()->release = options.release;
    groups_.back()->moves = options.moves;
    if (!options.posted) continue;
    posted_.push_back(std::make_unique<PostedWrites>(options.seed + b));
    groups_.back()->posted = posted_.back().get();
  }
  for (auto& group : groups_)
    for (unsigned t = 0; t < options.threads; ++t)
      threads_.emplace_back([this, &group = *group, t, threads = options.threads] {
        Block block{group, t, threads};
        kernel_(block);
        block.sync();
        if (group.posted) group.posted->all();
      });
}

void Grid::wait() {
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

HostNet::HostNet(const Dimensions& size)
    : memory_{new (std::align_val_t{4096}) unsigned char[host_bytes(size)],
              [](unsigned char* memory) { ::operator delete[](memory, std::align_val_t{4096}); }},
      state_(size.sockets) {
  std::memset(memory_.get(), 0, host_bytes(size));
  net_ = lay_out(size, memory_.get(), state_.data());
}

}  // namespace peerpath::gpunet::emulation
