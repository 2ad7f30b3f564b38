/* The emulated GPU behind a C interface. Not thread-safe: one call at a time for each device. No call ends the process
   or throws, whatever a guest has done. */
#pragma once

#include "peerpath/c/dma.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pp_gpu;

struct pp_gpu_config {
  uint32_t abi; /* PP_ABI */
  uint32_t vram_bar; /* number that the register page gives for it */
  uint8_t* vram;
  uint64_t vram_size;
};

struct pp_gpu_host {
  struct pp_bus bus;
};

struct pp_gpu_counters {
  uint64_t copies, failed_copies, bad_doorbells, commands, refused_commands, faults;
};

/* Size of the register page, and the most that a reply to a command takes. */
enum { PP_GPU_REGISTERS = 64 << 10, PP_GPU_REPLY = 408 };

struct pp_gpu* pp_gpu_new(const struct pp_gpu_config* config, const struct pp_gpu_host* host_operations, void* host);
void pp_gpu_free(struct pp_gpu* gpu);
void pp_gpu_reset(struct pp_gpu* gpu);

/* The register page; width in bytes: 4 or 8. */
uint64_t pp_gpu_read(const struct pp_gpu* gpu, uint64_t offset, uint32_t width);
void pp_gpu_write(struct pp_gpu* gpu, uint64_t offset, uint32_t width, uint64_t value);
/* An access has ended. After a successful read, `data` holds all bytes that were asked for. A call for an access before
   the last reset has no effect. */
void pp_gpu_delivered(struct pp_gpu* gpu, uint64_t cookie, bool success, const void* data, size_t size);
/* One command of virtio-gpu's control queue. `reply` has room for PP_GPU_REPLY bytes; returns how many it has. */
size_t pp_gpu_command(struct pp_gpu* gpu, const uint8_t* command, size_t size, uint8_t* reply);
/* Contexts and blobs end, as when the driver resets the device; copy engines go on. */
void pp_gpu_reset_commands(struct pp_gpu* gpu);
void pp_gpu_count(const struct pp_gpu* gpu, struct pp_gpu_counters* counters);

#ifdef __cplusplus
}
#endif
