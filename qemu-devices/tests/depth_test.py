#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices below many nested switches: DMA up to the depth that a route holds, an error when the device is made beyond."""

import struct
import unittest

from fixture import BUFFERS, VRAM
from frames import pattern
from machine import GPU, Machine, need_qemu
from pci import Tree

MOST = 22
OWN, FOREIGN = ("peerpath-switch-upstream", "peerpath-switch-downstream"), ("x3130-upstream", "xio3130-downstream")
ROOT = "pcie-root-port,id=down0,chassis=1,slot=1"
GPU_AT = "peerpath-gpu,id=gpu0,vram-size=%d,bus=down%d"


def switches(first, last, kinds=OWN):
    """Switch i is below switch i - 1."""
    return [port for i in range(first, last + 1)
            for port in (f"{kinds[0]},id=up{i},bus=down{i - 1}", f"{kinds[1]},id=down{i},bus=up{i},chassis={i + 1},slot=0")]


class Depth(unittest.TestCase):
    def machine(self, devices):
        m = Machine(devices)
        self.addCleanup(lambda: self.assertEqual(m.close(), 0, "QEMU must not end by itself"))
        return m

    def copy(self, m):
        """Copies host memory to VRAM and back; returns what came back."""
        gpu, ring = Tree(m).find(GPU), BUFFERS
        page, done = gpu.bars[0], ring + 0x8000
        m.store(ring + 0x10000, pattern(5000))
        for i, (source, destination, flags) in enumerate(((ring + 0x10000, 0x3000, 5), (0x3000, ring + 0x20000, 6))):
            m.store(ring + 32 * i, struct.pack("<QQIIQ", source, destination, 5000, flags, done))
        m.write("q", page + 0x100, ring)
        m.write("l", page + 0x108, 16)
        m.write("l", page + 0x1000, 2)
        self.assertTrue(m.until(lambda: m.load(done, 8) == struct.pack("<II", 2, 0)))
        return m.load(ring + 0x20000, 5000)

    def refused(self, devices, device, depth):
        with self.assertRaisesRegex(RuntimeError, f"{device}: there are {depth} switches.*at most {MOST} are supported"):
            Machine(devices).close()

    def test_a_gpu_copies_below_as_many_switches_as_a_route_holds(self):
        m = self.machine([ROOT, *switches(1, MOST), GPU_AT % (VRAM, MOST)])
        self.assertEqual(self.copy(m), pattern(5000))
        routes = [(r["operation"], r["route"], r["bytes"]) for r in m.ledger("gpu0")["routes"] if r["purpose"] == "payload"]
        way = " -> ".join(("gpu0", *(f"up{i}" for i in range(MOST, 0, -1)), "rc", "dram"))
        self.assertEqual(sorted(routes), [("read", way, 5000), ("write", way, 5000)])

    def test_one_more_switch_is_refused(self):
        self.refused([ROOT, *switches(1, MOST + 1), GPU_AT % (VRAM, MOST + 1)], "peerpath-switch-downstream", MOST + 1)

    def test_a_device_below_one_more_of_other_switches_is_refused(self):
        for device, depth in (("peerpath-gpu", MOST + 1), ("peerpath-nic", MOST + 1)):
            self.refused([ROOT, *switches(1, depth, FOREIGN), f"{device},bus=down{depth}"], device, depth)

    def test_a_device_that_is_plugged_in_too_deep_is_refused_and_the_machine_goes_on(self):
        m = self.machine([ROOT, *switches(1, MOST), *switches(MOST + 1, MOST + 1, FOREIGN)])
        with self.assertRaisesRegex(RuntimeError, f"at most {MOST} are supported"):
            m.qmp("device_add", driver="peerpath-gpu", id="gpu0", bus=f"down{MOST + 1}")
        self.assertTrue(m.alive())


if __name__ == "__main__":
    need_qemu()
    unittest.main()
