/* Routing of memory requests in switches, and the ledger of what went where, behind a C interface. */
#pragma once

#include "peerpath/c/dma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A downstream port of a switch, or a root port, as its configuration registers describe it. */
struct pp_port {
  uint16_t acs_control;
  uint8_t secondary_bus, subordinate_bus;
  bool memory_enabled, bus_master;
  struct { uint64_t base, size; } windows[2]; /* memory and prefetchable; size 0 is closed */
};

enum pp_way { PP_UPSTREAM, PP_DOWN, PP_REFUSED };

/* What becomes of a request of `size` bytes at `address` that came up into ports[ingress]; `requester` is the 16-bit ID.
   *port is the sibling that it goes down, for PP_DOWN. */
enum pp_way pp_turn(const struct pp_port* ports, uint32_t count, uint32_t ingress, uint64_t address, uint64_t size,
                    uint16_t requester, uint32_t* port);

struct pp_ledger;
struct pp_hop {
  uint32_t link;
  bool up; /* towards the root complex */
};
struct pp_access {
  uint32_t requester, completer; /* of pp_ledger_name */
  bool write, failed;
  enum pp_purpose purpose;
  uint64_t address, size;
  uint32_t max_payload, max_read_request;
  const struct pp_hop* path;
  uint32_t hops;
};

struct pp_ledger* pp_ledger_new(void);
void pp_ledger_free(struct pp_ledger* ledger);
uint32_t pp_ledger_name(struct pp_ledger* ledger, const char* name);
/* The name of a number, as long as the ledger lives and names nothing new. */
const char* pp_ledger_name_of(const struct pp_ledger* ledger, uint32_t number);
/* `internal`: inside the host, no link layer. */
uint32_t pp_ledger_link(struct pp_ledger* ledger, const char* farther, const char* nearer, bool internal);
/* The ends of a link of that number, as long as the ledger lives and has no new link. */
void pp_ledger_link_ends(const struct pp_ledger* ledger, uint32_t link, const char** farther, const char** nearer);
void pp_ledger_add(struct pp_ledger* ledger, const struct pp_access* access);
void pp_ledger_reset(struct pp_ledger* ledger);
/* {"ledger": as in results.json, "routes": [...]}; to be freed by free(). NULL if there is no memory. */
char* pp_ledger_json(const struct pp_ledger* ledger);

#ifdef __cplusplus
}
#endif
