// The applications on a GPU, for nvcc (--expt-relaxed-constexpr) and hipcc.
#include "validation/gpunet/apps/kernel.hpp"
#include "validation/gpunet/gpu/block.hpp"

extern "C" __global__ void __launch_bounds__(1024)
    gpunet_apps(peerpath::gpunet::Net net, peerpath::gpunet::apps::Task task) {
  __shared__ peerpath::gpunet::Shared shared;
  peerpath::gpunet::gpu::Block block{net, shared};
  peerpath::gpunet::apps::perform(block, task);
}
