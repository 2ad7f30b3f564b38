// A node on a real GPU.
#pragma once

#include "validation/backends/gpu/gpu.hpp"
#include "validation/gpunet/run/node.hpp"

namespace peerpath::gpunet::gpu {

/// The GPU has gpu/kernel.cu loaded. Throws gpu_backend::Error where a call of the driver fails.
std::unique_ptr<run::Node> open_gpu(gpu_backend::Gpu& gpu, const Dimensions& size, const ProxyOptions& proxy);

}  // namespace peerpath::gpunet::gpu
