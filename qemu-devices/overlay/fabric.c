/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fabric.h"

struct PeerpathPlace {
    PCIDevice *device; /* NULL: closed */
    const struct peerpath_listener *listener;
    uint32_t life; /* counts what was forgotten */
    unsigned references;
};

enum kind { READ, WRITE, WAKE };

struct waiting {
    PeerpathPlace *place;
    uint32_t life;
    enum kind kind;
    bool success; /* of a write */
    enum pp_purpose purpose;
    uint64_t cookie, address;
    size_t size;
};

/* A ring of a power of two places, with free running indices. */
static struct {
    struct waiting *ring;
    size_t places, first, last;
    uint8_t *data; /* of a read */
    size_t room;
    QEMUBH *work;
    bool delivering;
} fabric;

static void release(PeerpathPlace *place)
{
    if (--place->references == 0) {
        g_free(place);
    }
}

PeerpathPlace *peerpath_place_new(PCIDevice *device, const struct peerpath_listener *listener)
{
    PeerpathPlace *place = g_new0(PeerpathPlace, 1);

    place->device = device;
    place->listener = listener;
    place->references = 1;
    return place;
}

void peerpath_place_close(PeerpathPlace *place)
{
    place->device = NULL;
}

void peerpath_place_free(PeerpathPlace *place)
{
    if (place) {
        place->device = NULL;
        release(place);
    }
}

void peerpath_fabric_forget(PeerpathPlace *place)
{
    place->life++;
}

static void deliver(const struct waiting *w)
{
    PeerpathPlace *place = w->place;
    PCIDevice *device = place->device;
    MemReentrancyGuard *guard;
    bool success = w->success, engaged;

    if (!device || w->life != place->life) {
        return;
    }
    /* As a guarded bottom half: DMA into its own registers is refused, so a device is never entered twice. */
    guard = &DEVICE(device)->mem_reentrancy_guard;
    engaged = guard->engaged_in_io;
    guard->engaged_in_io = true;
    object_ref(OBJECT(device));
    if (w->kind == WAKE) {
        place->listener->wake(device);
    } else {
        if (w->kind == READ) {
            if (w->size > fabric.room) {
                g_free(fabric.data);
                fabric.data = g_malloc(w->size);
                fabric.room = w->size;
            }
            success = peerpath_dma(device, w->address, fabric.data, w->size, false, w->purpose);
        }
        if (place->device && w->life == place->life) { /* the access may have ended it */
            const bool bytes = w->kind == READ && success;

            place->listener->delivered(device, w->cookie, success, bytes ? fabric.data : NULL, bytes ? w->size : 0);
        }
    }
    guard->engaged_in_io = engaged;
    object_unref(OBJECT(device));
}

void peerpath_fabric_flush(void)
{
    const int64_t started = get_clock();

    if (fabric.delivering) {
        return;
    }
    fabric.delivering = true;
    while (fabric.first != fabric.last) {
        const struct waiting w = fabric.ring[fabric.first++ & (fabric.places - 1)];

        deliver(&w);
        release(w.place);
        if (get_clock() - started >= PEERPATH_TURN_NS) { /* others of QEMU's loop have their turn */
            break;
        }
    }
    fabric.delivering = false;
    if (fabric.first != fabric.last) {
        qemu_bh_schedule(fabric.work);
    }
}

static void work(void *opaque)
{
    peerpath_fabric_flush();
}

static void push(struct waiting w)
{
    if (!fabric.work) {
        fabric.work = qemu_bh_new(work, NULL);
    }
    if (fabric.last - fabric.first == fabric.places) {
        const size_t places = MAX(2 * fabric.places, 1024);
        struct waiting *ring = g_new(struct waiting, places);

        for (size_t i = fabric.first; i != fabric.last; i++) {
            ring[i & (places - 1)] = fabric.ring[i & (fabric.places - 1)];
        }
        g_free(fabric.ring);
        fabric.ring = ring;
        fabric.places = places;
    }
    w.life = w.place->life;
    w.place->references++;
    fabric.ring[fabric.last++ & (fabric.places - 1)] = w;
    qemu_bh_schedule(fabric.work);
}

void peerpath_fabric_read(PeerpathPlace *place, uint64_t cookie, uint64_t address, size_t size, enum pp_purpose purpose)
{
    if (place->device) {
        push((struct waiting){.place = place, .kind = READ, .purpose = purpose, .cookie = cookie, .address = address,
                              .size = size});
    }
}

void peerpath_fabric_write(PeerpathPlace *place, uint64_t cookie, uint64_t address, const void *from, size_t size,
                           size_t flag_at, enum pp_purpose purpose)
{
    bool done;

    if (!place->device) {
        return;
    }
    done = flag_at == PP_NO_FLAG
               ? peerpath_dma(place->device, address, (void *)from, size, true, purpose)
               : peerpath_dma_publish(place->device, address, from, size, flag_at, purpose);
    if (place->device) {
        push((struct waiting){.place = place, .kind = WRITE, .success = done, .cookie = cookie});
    }
}

void peerpath_fabric_wake(PeerpathPlace *place)
{
    if (place->device) {
        push((struct waiting){.place = place, .kind = WAKE});
    }
}
