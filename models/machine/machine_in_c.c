/* A program in C with a machine in it: the interface is C, and no SystemC comes into the process. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peerpath/c/machine.h"

static const char scenario[] =
    "{\"devices\": {\"rc\": {\"kind\": \"root_complex\"}, \"dram\": {\"kind\": \"host_memory\", \"at\": \"rc\"},"
    " \"gpu\": {\"kind\": \"gpu\"}}, \"links\": [{\"from\": \"rc\", \"to\": \"gpu\", \"generation\": 4, \"width\": 16}]}";

static bool reachable(void* guest, uint32_t device, uint64_t address, uint64_t size, bool write) {
  (void)guest, (void)device, (void)address, (void)size, (void)write;
  return false;
}
static bool read_memory(void* guest, uint32_t device, uint64_t address, void* into, size_t size) {
  (void)guest, (void)device, (void)address, (void)into, (void)size;
  return false;
}
static bool write_memory(void* guest, uint32_t device, uint64_t address, const void* from, size_t size) {
  (void)guest, (void)device, (void)address, (void)from, (void)size;
  return false;
}
static bool message(void* guest, uint32_t device, uint32_t vector, uint64_t* address, uint32_t* data) {
  (void)guest, (void)device, (void)vector, (void)address, (void)data;
  return false;
}
static void interrupt(void* guest, uint32_t device, uint64_t address, uint32_t data) {
  (void)guest, (void)device, (void)address, (void)data;
}
static void transmit(void* guest, uint32_t device, const uint8_t* frame, size_t size) {
  (void)guest, (void)device, (void)frame, (void)size;
}
static void set_timer(void* guest, int64_t when) { *(int64_t*)guest = when; }

/* Whether a library of that name is in this process. */
static bool has_library(const char* name) {
  char line[4096];
  bool found = false;
  FILE* maps = fopen("/proc/self/maps", "r");

  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found = found || strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

int main(void) {
  static uint8_t vram[4096];
  const struct pp_machine_guest operations = {.reachable = reachable,
                                              .read = read_memory,
                                              .write = write_memory,
                                              .message = message,
                                              .interrupt = interrupt,
                                              .transmit = transmit,
                                              .set_timer = set_timer};
  const struct pp_gpu_config config = {.abi = PP_ABI, .vram_bar = 1, .vram = vram, .vram_size = sizeof vram};
  int64_t timer = PP_NEVER, done;
  uint32_t magic = 0;
  char* problem;
  struct pp_machine* machine = pp_machine_new(PP_ABI, scenario, &operations, &timer, &problem);

  if (machine == NULL || pp_machine_add_gpu(machine, "gpu", &config, 0) != 0 || !pp_machine_start(machine, &problem)) {
    fprintf(stderr, "no machine: %s\n", problem != NULL ? problem : "a device was refused");
    return 1;
  }
  pp_machine_map(machine, 0, 0, 0, 0x80000000, PP_GPU_REGISTERS);
  done = pp_machine_read(machine, 1000, 0x80000000, &magic, sizeof magic);
  pp_machine_free(machine);
  printf("magic %" PRIx32 " after %" PRId64 " ns\n", magic, done - 1000);
  if (!has_library("libc.so") || has_library("systemc")) {
    fprintf(stderr, "the libraries in this process are not as they should be\n");
    return 1;
  }
  return magic == 0x55475050 && done > 1300 && timer == PP_NEVER ? 0 : 1;
}
