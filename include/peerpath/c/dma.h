/* What the C interfaces of emulated devices share: how a device reaches memory. For machine emulators; C only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a structure or a function's meaning changes; pp_*_new refuses another one. */
enum { PP_ABI = 5 };

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
  PP_UNCOUNTED = PP_PURPOSES /* not in the ledger: the device reads these bytes again, and the second read counts */
};

/* The bytes of a write may become visible in any order. */
#define PP_NO_FLAG SIZE_MAX

/* DMA of a device. The emulator performs each access and then calls pp_*_delivered with its cookie, but never from within
   these calls. A read does not pass an earlier write. */
struct pp_bus {
  void (*read)(void* host, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose);
  /* A posted write. `from` is valid until the call returns. Writes arrive in order. The bytes flag_at and flag_at + 1
     become visible after all others, unless flag_at is PP_NO_FLAG. */
  void (*write)(void* host, uint64_t cookie, uint64_t address, const void* from, size_t size, size_t flag_at,
                enum pp_purpose purpose);
};

#ifdef __cplusplus
}
#endif
