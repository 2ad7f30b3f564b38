/* A guest's machine in time, behind a C interface: the PCIe domain of a scenario with emulated NICs and GPUs. Not
   thread-safe. No call ends the process or throws, whatever a guest has done. One that runs out of memory or finds a bug
   is counted by pp_machine_faults; nothing happens in the machine from then on. */
#pragma once

#include "peerpath/c/gpu.h"
#include "peerpath/c/nic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pp_machine;

/* No time at all. Times are nanoseconds of the guest's clock, from 0 on; the machine's own are finer. */
#define PP_NEVER INT64_MAX

/* The guest. Devices have numbers, in the order in which they were added. Nothing here may call the machine. */
struct pp_machine_guest {
  /* Whether all of these bus addresses are the guest's memory. */
  bool (*reachable)(void* guest, uint32_t device, uint64_t address, uint64_t size, bool write);
  /* Bytes of one request TLP move now. False: the access failed. */
  bool (*read)(void* guest, uint32_t device, uint64_t address, void* into, size_t size);
  bool (*write)(void* guest, uint32_t device, uint64_t address, const void* from, size_t size);
  /* The message of an MSI-X vector that the device sends now. False: not enabled. */
  bool (*message)(void* guest, uint32_t device, uint32_t vector, uint64_t* address, uint32_t* data);
  /* A message has arrived. */
  void (*interrupt)(void* guest, uint32_t device, uint64_t address, uint32_t data);
  /* A frame without FCS leaves a NIC that has no cable in the scenario. */
  void (*transmit)(void* guest, uint32_t device, const uint8_t* frame, size_t size);
  /* Call pp_machine_advance at this time, in place of the one asked for before; PP_NEVER: not at all. */
  void (*set_timer)(void* guest, int64_t when);
};

/* `scenario` is a scenario in JSON that refers to no other file. NULL if it cannot be used, or `abi` is not PP_ABI; then
   *problem says why, to be freed by free(), or is NULL if there is no memory. The guest's operations are copied. */
struct pp_machine* pp_machine_new(uint32_t abi, const char* scenario, const struct pp_machine_guest* guest_operations,
                                  void* guest, char** problem);
void pp_machine_free(struct pp_machine* machine);

/* Devices are added before pp_machine_start, by their names in the scenario. Returns the device's number, or -1 if the
   scenario has no such device, it was added already, or the configuration is outside its limits.
   Receive coalescing holds segments until nothing has come for `coalesce_idle`, at most `coalesce_limit`. */
int32_t pp_machine_add_nic(struct pp_machine* machine, const char* name, const struct pp_nic_config* config,
                           int64_t coalesce_idle, int64_t coalesce_limit);
int32_t pp_machine_add_gpu(struct pp_machine* machine, const char* name, const struct pp_gpu_config* config,
                           uint32_t registers_bar);
/* False if the machine cannot do all of the scenario; *problem as above. */
bool pp_machine_start(struct pp_machine* machine, char** problem);

/* The rest is called after pp_machine_start. `now` is the guest's time and does not go back. */

/* All that happens until `now`. */
void pp_machine_advance(struct pp_machine* machine, int64_t now);
/* BAR `bar` of the device answers for these bus addresses, and for no others; none with size 0. NICs: BAR 0 registers, BAR
   2 doorbells. */
void pp_machine_map(struct pp_machine* machine, int64_t now, uint32_t device, uint32_t bar, uint64_t base,
                    uint64_t size);
/* A posted write of the processor, of bytes as they lie in memory. False: no BAR answers for the address. */
bool pp_machine_write(struct pp_machine* machine, int64_t now, uint64_t address, const void* from, size_t size);
/* A read of the processor. Returns when it ends, rounded up: the guest's clock has to go on to that time. All bytes are
   0xff if it fails. */
int64_t pp_machine_read(struct pp_machine* machine, int64_t now, uint64_t address, void* into, size_t size);

/* As after power on. Writes that are under way arrive all the same. */
void pp_machine_reset_device(struct pp_machine* machine, int64_t now, uint32_t device);
/* A frame without FCS has come in at a NIC without a cable. */
void pp_machine_receive(struct pp_machine* machine, int64_t now, uint32_t nic, const uint8_t* frame, size_t size);
void pp_machine_set_link(struct pp_machine* machine, int64_t now, uint32_t nic, bool up);
/* One command of virtio-gpu's control queue, as pp_gpu_command has it. */
size_t pp_machine_gpu_command(struct pp_machine* machine, uint32_t gpu, const uint8_t* command, size_t size,
                              uint8_t* reply);
void pp_machine_gpu_reset_commands(struct pp_machine* machine, uint32_t gpu);

/* Zeros for a device of another kind. */
void pp_machine_count_nic(const struct pp_machine* machine, uint32_t nic, struct pp_nic_counters* counters);
void pp_machine_count_gpu(const struct pp_machine* machine, uint32_t gpu, struct pp_gpu_counters* counters);
uint64_t pp_machine_faults(const struct pp_machine* machine);

#ifdef __cplusplus
}
#endif
