# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines with drivers, for the tests."""

import socket
import struct
import unittest

import machine
from gve import Driver
from machine import GPU, NIC, SWITCH, Machine
from pci import Tree

BASE = 0x1000000           # the driver's rings
BUFFERS = 0x4000000        # host memory for data
VRAM = 1 << 24


class Wire:
    """The far end of a NIC's cable: whole frames, in a stream with lengths (QEMU's `stream` network)."""

    def __init__(self):
        self.here, self.there = socket.socketpair()
        self.there.set_inheritable(True)
        self.here.settimeout(5)

    def send(self, frame):
        self.here.sendall(struct.pack(">I", len(frame)) + frame)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            data += self.here.recv(count - len(data))
        return data

    def receive(self):
        return self.exactly(struct.unpack(">I", self.exactly(4))[0])


class NicAndGpu(unittest.TestCase):
    """nic0 and gpu0 below one switch; the NIC's wire ends in the test."""

    layout = "nvidia"
    before = behind = ()    # devices in front, such as an IOMMU, and behind these
    machine_options = ()
    nic_bus = "sw0p1"
    nic_options = ""

    def setUp(self):
        self.wire = Wire()
        devices = [*self.before, *SWITCH, f"peerpath-gpu,id=gpu0,bus=sw0p0,vram-size={VRAM},layout={self.layout}",
                   f"peerpath-nic,id=nic0,bus={self.nic_bus},netdev=wire{self.nic_options}", *self.behind]
        self.m = self.start(devices)
        self.addCleanup(self.stop)
        self.tree = Tree(self.m)
        self.gpu, self.nic = self.tree.find(GPU), self.tree.find(NIC)
        self.vram = self.gpu.bars[1 if self.layout == "nvidia" else 0]
        self.page = self.gpu.bars[0 if self.layout == "nvidia" else 5]
        self.driver = Driver(self.m, self.tree, self.nic, BASE)

    def start(self, devices):
        # The file descriptor is inherited by QEMU.
        fd = self.wire.there.fileno()
        popen = machine.subprocess.Popen
        machine.subprocess.Popen = lambda *a, **k: popen(*a, **k, pass_fds=[fd])
        try:
            return Machine(devices, ["-netdev", f"stream,id=wire,server=off,addr.type=fd,addr.str={fd}", *self.machine_options])
        finally:
            machine.subprocess.Popen = popen

    def stop(self):
        status = self.m.close()
        self.wire.here.close()
        self.wire.there.close()
        self.assertEqual(status, 0, "QEMU must not end by itself")

    def ready_rx(self, address, buffers=32, buffer_size=4096, header_size=128):
        """Receive queue whose payload buffers lie one behind the other from `address` on."""
        self.assertEqual(self.driver.steer_all(), 1)
        self.assertEqual(self.driver.create_rx(buffer_size, header_size), 1)
        self.driver.post([(address + i * buffer_size, BUFFERS + i * 256) for i in range(buffers)])

    def row(self, link, direction, requester, purpose):
        """Data bytes of one row of the ledger."""
        for entry in self.m.ledger()["ledger"]:
            if (entry["link"], entry["direction"]) == (link, direction):
                return sum(r["data_bytes"] for r in entry["rows"] if (r["requester"], r["purpose"]) == (requester, purpose))
        return 0
