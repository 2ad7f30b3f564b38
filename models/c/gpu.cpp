#include "peerpath/c/gpu.h"

#include <memory>

#include "c/bus.hpp"
#include "c/describe.hpp"
#include "c/guard.hpp"
#include "devices/gpu/emulated_gpu.hpp"

using peerpath::c::guarded;
using peerpath::gpu::Blobs;
using peerpath::gpu::EmulatedGpu;

static_assert(PP_GPU_REPLY == Blobs::max_reply && PP_GPU_REGISTERS == peerpath::gpu::page::size);

struct pp_gpu final : private peerpath::device::Bus {
  pp_gpu(const pp_gpu_config& config, const pp_gpu_host& operations, void* host)
      : host_{host}, operations_{operations}, device{{config.vram, config.vram_size}, config.vram_bar, *this} {}

 private:
  void submit(peerpath::fabric::ChannelIndex, const peerpath::fabric::Transaction& t,
              const peerpath::device::Content& content) override {
    peerpath::c::submit(operations_.bus, host_, t, content);
  }

  void* host_;
  pp_gpu_host operations_;

 public:
  EmulatedGpu device;
  std::uint64_t faults = 0;
};

pp_gpu* pp_gpu_new(const pp_gpu_config* config, const pp_gpu_host* operations, void* host) {
  if (!peerpath::c::sound(*config)) return nullptr;
  std::uint64_t faults = 0;
  pp_gpu* gpu = nullptr;
  guarded(faults, [&] { gpu = std::make_unique<pp_gpu>(*config, *operations, host).release(); });
  return gpu;
}

void pp_gpu_free(pp_gpu* gpu) { delete gpu; }
void pp_gpu_reset(pp_gpu* gpu) {
  guarded(gpu->faults, [&] { gpu->device.reset(); });
}

uint64_t pp_gpu_read(const pp_gpu* gpu, uint64_t offset, uint32_t width) { return gpu->device.read(offset, width); }

void pp_gpu_write(pp_gpu* gpu, uint64_t offset, uint32_t width, uint64_t value) {
  guarded(gpu->faults, [&] { gpu->device.write(offset, width, value); });
}

void pp_gpu_delivered(pp_gpu* gpu, uint64_t cookie, bool success, const void* data, size_t size) {
  guarded(gpu->faults, [&] {
    gpu->device.on_delivery(peerpath::c::delivery(cookie, success, {}), {static_cast<const std::uint8_t*>(data), size});
  });
}

size_t pp_gpu_command(pp_gpu* gpu, const uint8_t* command, size_t size, uint8_t* reply) {
  size_t length = 0;
  guarded(gpu->faults, [&] { length = gpu->device.blobs().execute({command, size}, {reply, PP_GPU_REPLY}); });
  return length;
}

void pp_gpu_reset_commands(pp_gpu* gpu) {
  guarded(gpu->faults, [&] { gpu->device.blobs().reset(); });
}

void pp_gpu_count(const pp_gpu* gpu, pp_gpu_counters* counters) {
  *counters = peerpath::c::counters_of(gpu->device, gpu->faults);
}
