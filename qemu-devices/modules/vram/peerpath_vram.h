/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/* What a process asks /dev/peerpath_vramN: a dma-buf of a part of the GPU's memory. */
#ifndef PEERPATH_VRAM_H
#define PEERPATH_VRAM_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct peerpath_vram_export {
	__u64 offset;	/* in VRAM, a multiple of the page size */
	__u64 length;	/* a multiple of the page size, not 0 */
	__s32 fd;	/* out: the dma-buf */
	__u32 pad;	/* 0 */
};

#define PEERPATH_VRAM_EXPORT _IOWR('P', 1, struct peerpath_vram_export)

#endif
