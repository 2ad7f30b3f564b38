// A node on a real GPU.
#pragma once

#include "validation/backends/gpu/gpu.hpp"
#include "validation/gpunet/run/node.hpp"

namespace peerpath::gpunet::gpu {

/// The GPU has gpu/kernel.cu loaded. Throws gpu_backend::Error where a call of the driver fails.
std::unique_ptr<run::Node> open_gpu(gpu_backend::Gpu& gpu, const Dimensions& size, const ProxyOptions& proxy);

/// A kernel of one's own, `void kernel(Net, Argument)`, of the module that the GPU has loaded, on a node of `open_gpu`.
void launch(run::Node& node, const char* kernel, void* argument, unsigned blocks, unsigned threads);

}  // namespace peerpath::gpunet::gpu
