/* The emulated NIC behind a C interface. Not thread-safe: one call at a time for each device. No call ends the process
   or throws, whatever a guest has done. One that runs out of memory or finds a bug is counted in `faults`; the NIC is then
   reset and asks its driver to do the same. */
#pragma once

#include "peerpath/c/dma.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pp_nic;

struct pp_nic_config {
  uint32_t abi; /* PP_ABI */
  uint32_t queues; /* receive and transmit queues, 1 to 16 */
  uint32_t max_mtu; /* 1500 to 65535 */
  uint8_t mac[6];
  bool coalesce; /* make one frame of several TCP segments where the driver allows it */
};

struct pp_nic_host {
  struct pp_bus bus;
  /* Sends the message of an MSI-X vector behind all earlier writes. Its delivery is not reported. */
  void (*interrupt)(void* host, uint32_t vector);
  /* A frame without FCS leaves. May lead to pp_nic_receive of the same device before it returns. */
  void (*transmit)(void* host, const uint8_t* frame, size_t size);
  /* Asks for a call of pp_nic_wake after the delivery of all accesses in flight, but never from within this call. */
  void (*wake)(void* host);
  /* Receive coalescing holds segments: call pp_nic_flush within a fraction of a millisecond. */
  void (*flush_soon)(void* host);
};

/* What the NIC has counted since it was made. */
struct pp_nic_counters {
  uint64_t rx_frames, rx_bytes, rx_dropped, tx_packets, tx_frames, tx_bytes;
  uint64_t bad_descriptors, bad_doorbells, bad_checksums, dma_errors, refused_commands, coalesced, faults;
  /* Entries of the rings, and bytes of the DMA that moved them. */
  uint64_t rx_descriptors, rx_descriptor_bytes, rx_completions, rx_completion_bytes;
  uint64_t tx_descriptors, tx_descriptor_bytes, tx_completions, tx_completion_bytes;
};

/* NULL if the configuration is outside its limits. `host_operations` is copied. */
struct pp_nic* pp_nic_new(const struct pp_nic_config* config, const struct pp_nic_host* host_operations, void* host);
void pp_nic_free(struct pp_nic* nic);
/* Puts the NIC into its state after power on. Earlier accesses need not be delivered. */
void pp_nic_reset(struct pp_nic* nic);

/* BAR 0: the number that the register's bytes mean in big-endian order. Width in bytes: 1, 2 or 4. */
uint32_t pp_nic_read(struct pp_nic* nic, uint64_t offset, uint32_t width);
void pp_nic_write(struct pp_nic* nic, uint64_t offset, uint32_t width, uint32_t value);
/* BAR 2: a write of 4 bytes, little-endian. */
void pp_nic_doorbell(struct pp_nic* nic, uint64_t offset, uint32_t value);
/* An access has ended. After a successful read, `data` holds all bytes that were asked for. A call for an access before
   the last reset has no effect. */
void pp_nic_delivered(struct pp_nic* nic, uint64_t cookie, bool success, const void* data, size_t size);
void pp_nic_wake(struct pp_nic* nic);
/* Delivers the segments of one flow that receive coalescing holds. True if it holds segments of others. */
bool pp_nic_flush(struct pp_nic* nic);
/* A frame without FCS has come in. */
void pp_nic_receive(struct pp_nic* nic, const uint8_t* frame, size_t size);
/* The wire's frame with payload of that number, from 1 on, is lost, damaged, or comes behind the next one. */
enum pp_wire_fault { PP_FRAME_DROP, PP_FRAME_CORRUPT, PP_FRAME_REORDER };
void pp_nic_add_wire_fault(struct pp_nic* nic, uint64_t frame, enum pp_wire_fault fault);
void pp_nic_set_link(struct pp_nic* nic, bool up);
void pp_nic_count(const struct pp_nic* nic, struct pp_nic_counters* counters);
/* MSI-X vectors of a NIC with that many queues. */
uint32_t pp_nic_vectors(uint32_t queues);

#ifdef __cplusplus
}
#endif
