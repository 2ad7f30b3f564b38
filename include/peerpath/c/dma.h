/* What the C interfaces of emulated devices share: how a device reaches memory. For machine emulators; C only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a structure or a function's meaning changes; pp_*_new refuses another one. */
enum { PP_ABI = 4 };

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
  PP_UNCOUNTED = PP_PURPOSES /* the device reads these bytes again, and that read is the one to count */
};

/* No byte of a write has to become visible last. */
#define PP_NO_FLAG SIZE_MAX

/* The transactions of a device, which the emulator takes to where their addresses lead. Each ends with a call of
   pp_*_delivered with its cookie, later and never from within these calls; a read does not pass a write before it. */
struct pp_bus {
  void (*read)(void* host, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose);
  /* A posted write: it has left the device when the call returns, and `from` is good until then. Writes arrive in order.
     The bytes flag_at and flag_at + 1, if there is such a place, become visible after all others. */
  void (*write)(void* host, uint64_t cookie, uint64_t address, const void* from, size_t size, size_t flag_at,
                enum pp_purpose purpose);
};

#ifdef __cplusplus
}
#endif
