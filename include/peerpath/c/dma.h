/* What the C interfaces of emulated devices share: how a device reaches memory. For machine emulators; C only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a structure or a function's meaning changes; pp_*_new refuses another one. */
enum { PP_ABI = 3 };

/* Why bytes travel: the ledger's columns, in the order of peerpath::pcie::Purpose. */
enum pp_purpose {
  PP_PAYLOAD,
  PP_HEADER,
  PP_DESCRIPTOR,
  PP_COMPLETION_ENTRY,
  PP_DOORBELL,
  PP_INTERRUPT,
  PP_CONTROL,
  PP_RETRANSMISSION,
  PP_PURPOSES,
  PP_UNCOUNTED = PP_PURPOSES /* a look that stands for no transaction of its own */
};

/* DMA as the emulator offers it. Each returns false, with nothing or only a part done, when the access failed. */
struct pp_dma {
  bool (*read)(void* host, uint64_t address, void* into, size_t size, enum pp_purpose purpose);
  bool (*write)(void* host, uint64_t address, const void* from, size_t size, enum pp_purpose purpose);
  /* Writes an entry of a ring; its bytes flag_at and flag_at + 1 become visible after all others. */
  bool (*publish)(void* host, uint64_t address, const void* entry, size_t size, size_t flag_at, enum pp_purpose purpose);
};

#ifdef __cplusplus
}
#endif
