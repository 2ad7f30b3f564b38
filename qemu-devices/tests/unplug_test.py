#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices that go while they are at work, with PCIe's own hot plug."""

import struct
import unittest

from fixture import BUFFERS, NicAndGpu
from frames import pattern, tcp
from machine import DOWNSTREAM, GPU, WINDOW, need_qemu

SLOT_CONTROL, POWER_OFF = 0x18, 0x0700  # power controller and power indicator: a device in the slot is unplugged
GPU_SLOT, NIC_SLOT = 0, 1


class Unplug(NicAndGpu):
    machine_options = ("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off")
    behind = ("pcie-root-port,id=rp9,chassis=9,slot=9", "peerpath-gpu,id=gpu1,bus=rp9,vram-size=1M")

    def slot_control(self, slot):
        port = self.tree.find(DOWNSTREAM, slot)
        return WINDOW + (port.bdf << 12) + self.tree.capability(port, 0x10) + SLOT_CONTROL

    def unplug(self, slot):
        self.m.write("w", self.slot_control(slot), POWER_OFF)

    def is_there(self, function):
        return self.m.config(function.bdf, 0) == function.identity

    def copy(self, descriptors):
        for i, descriptor in enumerate(descriptors):
            self.m.store(BUFFERS + 32 * i, struct.pack("<QQIIQ", *descriptor))
        self.m.write("q", self.page + 0x100, BUFFERS)
        self.m.write("l", self.page + 0x108, 512)
        self.m.write("l", self.page + 0x1000, len(descriptors))

    def test_a_nic_cannot_unplug_itself(self):
        self.driver.steer_all()
        self.driver.create_rx()
        self.driver.post([(self.slot_control(NIC_SLOT), BUFFERS)] * 32)
        self.wire.send(tcp(struct.pack("<H", POWER_OFF)))
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["dma_errors"] > 0))
        self.assertTrue(self.is_there(self.nic))

    def test_a_gpu_cannot_unplug_itself(self):
        self.m.store(BUFFERS + 0x8000, struct.pack("<H", POWER_OFF))
        self.copy([(BUFFERS + 0x8000, self.slot_control(GPU_SLOT), 2, 3, 0)])
        self.assertTrue(self.m.until(lambda: self.m.counters("gpu0")["failed_copies"] > 0))
        self.assertTrue(self.is_there(self.gpu))

    def test_a_gpu_goes_in_the_middle_of_copies(self):
        page = self.tree.find(GPU, 1).bars[0]
        self.copy([(0, page, 0x10000, 2, 0)] * 100)
        self.assertTrue(self.m.until(lambda: self.m.counters("gpu0")["copies"] > 0))
        self.unplug(GPU_SLOT)
        self.assertFalse(self.is_there(self.gpu))
        self.assertTrue(self.m.alive())

    def test_a_nic_goes_with_packets_to_be_sent_and_segments_held(self):
        self.driver.steer_all()
        self.driver.create_rx(rsc=1)
        self.driver.post([(BUFFERS + 0x10000 + i * 4096, BUFFERS + i * 256) for i in range(32)])
        self.wire.send(tcp(pattern(500)))
        self.driver.create_tx()
        for _ in range(100):
            self.driver.send([(self.tree.find(GPU, 1).bars[3] + 0x3000, 4000)], ring=False)
        self.driver.ring()
        self.unplug(NIC_SLOT)
        self.assertFalse(self.is_there(self.nic))
        self.m.ask("clock_step 1000000000")
        self.wire.send(tcp(pattern(500)))
        self.assertTrue(self.m.alive())

    def test_devices_come_again(self):
        for slot, function, arguments in ((NIC_SLOT, self.nic, {"driver": "peerpath-nic", "id": "nic9", "bus": "sw0p1"}),
                                          (GPU_SLOT, self.gpu, {"driver": "peerpath-gpu", "id": "gpu9", "bus": "sw0p0"})):
            self.unplug(slot)
            self.assertFalse(self.is_there(function))
            self.m.qmp("device_add", **arguments)
            self.m.write("w", self.slot_control(slot), 0)
            self.assertTrue(self.m.until(lambda: self.is_there(function)))


if __name__ == "__main__":
    need_qemu()
    unittest.main()
