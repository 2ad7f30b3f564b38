#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast bytes get from a NIC into the GPU's memory without a guest: 64 KiB frames from one NIC over a wire to another
behind the GPU's switch. It prints the rate of the DMA writes (routing, ledger and copy; the NIC's own work left out), and
that of the whole way in processor time, since other work on the host does not count, beside a copy by memmove. It fails
only if bytes are wrong or go another way: no rate holds on every host."""

import json
import mmap
import pathlib
import sys
import time
import unittest

from fixture import BASE, BUFFERS, VRAM
from gve import Driver
from machine import GPU, NIC, SWITCH, Machine, need_qemu
from pci import Tree

SIZE = 64 << 10
PIECE = 16380       # a transmit descriptor takes at most 16383
FRAMES, TURNS = 320, 4   # one doorbell each; the rings hold 2048 descriptors


def copy_rate():
    """GB/s of processor time, of frames copied by memmove within a cache, from page to page: where pages differ in offset
    some hosts are twenty times slower."""
    source, target = (memoryview(mmap.mmap(-1, SIZE)) for _ in range(2))
    begin = time.process_time()
    for _ in range(FRAMES):
        target[:] = source
    return FRAMES * SIZE / (time.process_time() - begin) / 1e9


class Speed(unittest.TestCase):
    def setUp(self):
        devices = [*SWITCH, f"peerpath-gpu,id=gpu0,bus=sw0p0,vram-size={VRAM}", "pcie-root-port,id=rp1,chassis=8,slot=8",
                   "peerpath-nic,id=nic0,bus=sw0p1,netdev=w0,max-mtu=65535", "peerpath-nic,id=nic1,bus=rp1,netdev=w1,max-mtu=65535"]
        self.m = Machine(devices, ["-netdev", "hubport,id=w0,hubid=0", "-netdev", "hubport,id=w1,hubid=0"])
        self.addCleanup(self.m.close)
        tree = Tree(self.m)
        self.vram = tree.find(GPU).bars[1]
        self.receiver = Driver(self.m, tree, tree.find(NIC, 0), BASE, 2048)
        self.sender = Driver(self.m, tree, tree.find(NIC, 1), BASE + 0x100000, 2048)

    def processor_time(self):
        """Of QEMU, in seconds: does not count what else the machine does."""
        tasks = pathlib.Path(f"/proc/{self.m.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def batch(self):
        """Sends FRAMES frames with one doorbell; returns GB/s of the DMA writes, and of all that QEMU does."""
        for _ in range(FRAMES):
            pieces = [(BUFFERS + i * PIECE, PIECE) for i in range(4)] + [(BUFFERS + 4 * PIECE, SIZE - 4 * PIECE)]
            self.sender.send(pieces, checksum=False, ring=False)
        before = self.m.counters("nic0")["rx_bytes"]
        worked, dma = self.processor_time(), json.loads(self.m.get("nic0", "dma-time"))
        self.sender.ring()
        time.sleep(0.05)  # asking costs QEMU time as well
        wanted = before + FRAMES * SIZE
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["rx_bytes"] == wanted))
        worked, after = self.processor_time() - worked, json.loads(self.m.get("nic0", "dma-time"))
        return ((after["payload_write_bytes"] - dma["payload_write_bytes"]) / (after["payload_write_ns"] - dma["payload_write_ns"]),
                FRAMES * SIZE / worked / 1e9)

    def test_into_vram(self):
        r = self.receiver
        self.m.store(BUFFERS, b"\2" * 12 + b"\x88\xb5" + bytes(i * 7 & 0xFF for i in range(SIZE - 14)))
        r.steer_all()
        r.create_rx(buffer_size=16383, header_size=0)
        self.sender.create_tx()
        best = best_way = copy = 0
        for _ in range(TURNS):
            r.post([(self.vram + i % 5 * 16384, 0) for i in range(5 * FRAMES)])
            dma, way = self.batch()
            best, best_way, copy = max(best, dma), max(best_way, way), max(copy, copy_rate())
            while r.next_rx():
                pass
        got = b"".join(self.m.load(self.vram + i * 16384, 16383) for i in range(4))
        self.assertEqual(got, self.m.load(BUFFERS, 4 * 16383))
        ways = {x["route"]: x["bytes"] for x in self.m.ledger()["routes"] if x["requester"] == "nic0" and x["purpose"] == "payload"}
        self.assertEqual(set(ways), {"nic0 -> sw0 -> gpu0"})
        print(f"64 KiB frames into VRAM: {best:.1f} GB/s; the whole way from host memory over a wire {best_way:.1f} GB/s "
              f"of processor time, a copy by memmove {copy:.1f} GB/s; best of {TURNS} batches of {FRAMES * SIZE >> 20} MiB", file=sys.stderr)


if __name__ == "__main__":
    need_qemu()
    unittest.main()
