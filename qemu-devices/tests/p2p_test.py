#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Peer-to-peer DMA from the NIC into the GPU's memory: through the switch, through the root complex, with and without
an IOMMU, with and without ACS; and what the ledger says of the way."""

import unittest

from fixture import BASE, BUFFERS, VRAM, NicAndGpu
from frames import header_size, pattern, tcp
from machine import ROOT_PORT, need_qemu
from vtd import Vtd

ACS = 0x0D  # extended capability
REDIRECT, FORWARD = 0x04, 0x10


class PeerToPeer(NicAndGpu):
    def payload(self, size=1000, seed=1):
        """Receives one frame; returns its completion."""
        self.wire.send(tcp(pattern(size, seed)))
        return self.driver.receive()

    def let_root_port_forward(self):
        port = self.tree.find(ROOT_PORT)
        self.m.set_config(port.bdf, self.tree.extended(port, ACS) + 6, FORWARD, 2)

    def routes(self, purpose="payload"):
        return {(r["operation"], r["route"]): r["bytes"] for r in self.m.ledger()["routes"] if r["purpose"] == purpose and r["bytes"]}


class OneSwitch(PeerToPeer):
    def test_payload_turns_in_the_switch_and_headers_go_to_the_host(self):
        self.ready_rx(self.vram)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> gpu0"): 1000})
        self.assertEqual(self.routes("header"), {("write", "nic0 -> sw0 -> rc -> dram"): header_size(4)})
        self.assertEqual(self.row("sw0-rc", "up", "nic0", "payload"), 0, "no payload goes up")
        self.assertEqual(self.row("gpu0-sw0", "down", "nic0", "payload"), 1000)

    def test_transmit_reads_the_gpu(self):
        self.driver.create_tx()
        n = header_size(4)
        self.m.store(BUFFERS, tcp(pattern(1200))[:n])
        self.m.store(self.vram + 0x7000, pattern(1200))
        self.driver.send([(BUFFERS, n), (self.vram + 0x7000, 1200)])
        self.assertEqual(self.wire.receive(), tcp(pattern(1200)))
        self.assertEqual(self.routes(), {("read", "nic0 -> sw0 -> gpu0"): 1200})
        self.assertEqual(self.row("gpu0-sw0", "up", "nic0", "payload"), 1200, "completions come back")

    def test_acs_redirect_sends_it_through_the_root_complex(self):
        self.m.set("sw0p1", "acs-control", REDIRECT)
        self.let_root_port_forward()
        self.ready_rx(self.vram)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> rc -> sw0 -> gpu0"): 1000})

    def test_a_root_port_that_does_not_forward_ends_it(self):
        self.m.set("sw0p1", "acs-control", REDIRECT)
        self.ready_rx(self.vram)
        self.assertEqual(self.payload()["error"], 1)
        self.assertEqual(self.routes(), {})

    def test_what_enables_count(self):
        self.ready_rx(self.vram)
        down_nic, down_gpu = self.tree.find(0x8233104C, 1), self.tree.find(0x8233104C, 0)
        for function, command, arrives in ((self.gpu, 4, False), (down_gpu, 4, False), (self.gpu, 6, True)):
            keep = self.m.config(function.bdf, 4, 2)
            self.m.set_config(function.bdf, 4, command, 2)
            self.assertEqual(self.payload()["error"], 0 if arrives else 1, hex(command))
            self.m.set_config(function.bdf, 4, keep | 6, 2)
        self.m.set_config(down_nic.bdf, 4, 2, 2)
        errors = self.m.counters("nic0")["dma_errors"]
        self.wire.send(tcp(pattern(10)))
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["dma_errors"] > errors), "no Bus Master Enable")

    def test_a_window_over_host_memory_does_not_reach_it(self):
        """A guest that points a bridge window at RAM must not get past the IOMMU by it."""
        down_gpu = self.tree.find(0x8233104C, 0)
        self.m.set_config(down_gpu.bdf, 0x20, BUFFERS >> 16 & 0xFFF0, 2)
        self.m.set_config(down_gpu.bdf, 0x22, BUFFERS + 0xFFFFF >> 16 & 0xFFF0, 2)
        self.m.store(BUFFERS + 0x80000, bytes(1000))
        self.ready_rx(BUFFERS + 0x80000)
        self.driver.seen = 0
        self.wire.send(tcp(pattern(1000)))
        self.driver.receive()
        self.assertEqual(self.m.load(BUFFERS + 0x80000, 1000), bytes(1000))


class WithIommu(PeerToPeer):
    before = ("intel-iommu,intremap=on",)

    def setUp(self):
        super().setUp()
        self.iommu = Vtd(self.m, BASE + 0x800000)
        self.iommu.identity(self.nic.bdf, BASE, 0x4000000 + 0x200000)  # rings and buffers, not VRAM

    def test_the_raw_address_of_a_sibling_turns_in_the_switch(self):
        self.ready_rx(self.vram)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> gpu0"): 1000})
        self.assertEqual(self.iommu.faults(), 0)

    def test_an_address_of_the_iommu_goes_through_the_root_complex(self):
        self.iommu.map(self.nic.bdf, 0x200000000, self.vram, VRAM)
        self.ready_rx(0x200000000)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> rc -> sw0 -> gpu0"): 1000})

    def test_redirected_raw_addresses_meet_the_iommu_and_fault(self):
        self.m.set("sw0p1", "acs-control", REDIRECT | FORWARD)
        self.let_root_port_forward()
        self.ready_rx(self.vram)
        self.assertEqual(self.payload()["error"], 1)
        self.assertEqual(self.m.load(self.vram, 1000), bytes(1000))
        self.assertNotEqual(self.iommu.faults(), 0)


class TwoRootPorts(PeerToPeer):
    def start(self, devices):
        devices = [d.replace("bus=sw0p0", "bus=rp1") for d in devices]
        return super().start(["pcie-root-port,id=rp1,chassis=5,slot=5", *devices])

    def test_payload_goes_through_the_root_complex(self):
        self.ready_rx(self.vram)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> rc -> gpu0"): 1000})


class TwoLevels(PeerToPeer):
    """The GPU is below a second switch, below the first."""

    def start(self, devices):
        inner = ["peerpath-switch-upstream,id=sw1,bus=sw0p0", "peerpath-switch-downstream,id=sw1p0,bus=sw1,chassis=7,slot=0"]
        devices = [d.replace("bus=sw0p0,vram", "bus=sw1p0,vram") for d in devices]
        return super().start([*devices[:-2], *inner, *devices[-2:]])

    def test_payload_turns_in_the_outer_switch(self):
        self.ready_rx(self.vram)
        self.payload()
        self.assertEqual(self.m.load(self.vram, 1000), pattern(1000))
        self.assertEqual(self.routes(), {("write", "nic0 -> sw0 -> sw1 -> gpu0"): 1000})


if __name__ == "__main__":
    need_qemu()
    unittest.main()
