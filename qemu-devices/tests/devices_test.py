#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Configuration space, BARs, rings and data of the emulated devices, without a guest."""

import json
import pathlib
import struct
import unittest

from fixture import BASE, BUFFERS, VRAM, NicAndGpu
from frames import checksum, header_size, pattern, tcp
from gve import Driver
from machine import DOWNSTREAM, NIC, UPSTREAM, WINDOW, Machine, need_qemu
from pci import Tree


class Nic(NicAndGpu):
    def test_configuration_space(self):
        self.assertEqual(self.m.config(self.nic.bdf, 8) & 0xFF, 1, "revision 1: admin queue by address")
        self.assertEqual(self.m.config(self.nic.bdf, 8) >> 16, 0x0200)
        self.assertIsNotNone(self.tree.capability(self.nic, 0x10), "PCI Express")
        self.assertEqual(self.nic.sizes, {0: 4096, 1: 4096, 2: 4096})
        self.assertEqual(self.m.config(self.nic.bdf, self.tree.capability(self.nic, 0x11) + 2, 2) & 0x7FF, 8, "9 vectors")

    def test_describes_itself(self):
        self.assertEqual(self.driver.command(1, {8: (8, BUFFERS), 16: (4, 1), 20: (4, 4096)}), 1)
        raw = self.m.load(BUFFERS, 64)
        self.assertEqual(struct.unpack_from(">H", raw, 16)[0], 1500, "MTU")
        self.assertEqual(raw[24:28], b"\x52\x54\x00\x12")
        self.assertEqual(self.driver.command(0xD, {8: (8, BUFFERS)}), 1)
        self.assertEqual(struct.unpack(">Q", self.m.load(BUFFERS, 8))[0], 200000)

    def test_header_split_to_host_memory_with_interrupt(self):
        self.ready_rx(BUFFERS + 0x10000)
        self.driver.arm(4)
        frame = tcp(pattern(1000))
        self.wire.send(frame)
        done = self.driver.receive()
        self.assertEqual((done["length"], done["header"], done["split"], done["error"]), (1000, header_size(4), 1, 0))
        self.assertEqual(done["flags"], 0b1011, "done, end of packet, checksum good")
        self.assertEqual(self.m.load(BUFFERS, header_size(4)), frame[:header_size(4)])
        self.assertEqual(self.m.load(BUFFERS + 0x10000, 1000), pattern(1000))
        self.assertTrue(self.driver.interrupted(4))

    def test_bad_checksum_is_flagged(self):
        self.ready_rx(BUFFERS + 0x10000)
        for version in (4, 6):
            self.wire.send(tcp(pattern(100), version, good=False))
            self.assertEqual(self.driver.receive()["flags"] >> 5 & 1, 1)

    def test_segments_are_coalesced_and_let_go_after_a_while(self):
        self.assertEqual(self.driver.steer_all(), 1)
        self.assertEqual(self.driver.create_rx(rsc=1), 1)
        self.driver.post([(BUFFERS + 0x10000 + i * 4096, BUFFERS + i * 256) for i in range(32)])
        payload = pattern(5000)
        for i in range(5):
            self.wire.send(tcp(payload[i * 1000:(i + 1) * 1000], 6, 1 + i * 1000))
        for _ in range(10):  # QEMU's loop comes round to the wire
            self.assertIsNone(self.driver.next_rx(), "held: the clock stands still")
        self.m.ask("clock_step 1000000")
        first, second = self.driver.receive(), self.driver.receive()
        self.assertEqual((first["rsc"], first["segment"], first["length"], second["length"]), (1, 1000, 4096, 904))
        self.assertEqual(self.m.load(BUFFERS + 0x10000, 5000), payload)

    def test_transmit_cuts_and_sums(self):
        for version in (4, 6):
            self.driver.create_tx()
            payload, n = pattern(10000), header_size(version)
            self.m.store(BUFFERS, tcp(payload, version, flags=0x18)[:n] + payload)
            self.driver.send([(BUFFERS, n), (BUFFERS + n, 4000), (BUFFERS + n + 4000, 6000)], mss=1448, header=n)
            got = b""
            for i in range(7):
                frame = self.wire.receive()
                expected = tcp(payload[i * 1448:(i + 1) * 1448], version, 1 + i * 1448, 0x18 if i == 6 else 0x10)
                if version == 4:
                    self.assertEqual(checksum(frame[14:34]), 0)
                    self.assertEqual(frame[18:20], struct.pack(">H", 7 + i), "identification")
                    self.assertEqual(frame[34:], expected[34:])
                else:
                    self.assertEqual(frame, expected)
                got += frame[n:]
            self.assertEqual(got, payload)
            self.assertEqual(self.driver.m.until(self.driver.next_tx), (2, 1))
            self.assertEqual(self.driver.m.until(self.driver.next_tx), (4, 5))
            self.driver.command(7, {})

    def test_link_goes_down_and_up(self):
        self.assertEqual(self.driver.status() & 4, 4)
        self.m.qmp("set_link", name="nic0", up=False)
        self.assertEqual(self.driver.status() & 4, 0)
        self.assertTrue(self.driver.interrupted(8), "the management vector tells")
        self.m.qmp("set_link", name="nic0", up=True)
        self.assertEqual(self.driver.status() & 4, 4)

    def window_is_closed(self):
        return self.m.read("l", WINDOW) & 0xFFFF != 0x8086

    def test_reset_ends_all_queues(self):
        self.ready_rx(BUFFERS + 0x10000)
        self.driver.register(4, 2)
        self.assertEqual(self.driver.status() & 0x10, 0x10)
        self.wire.send(tcp(pattern(100)))
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["rx_dropped"] == 1))
        self.m.qmp("system_reset")
        self.assertTrue(self.m.until(self.window_is_closed))
        self.m.open_window()
        tree = Tree(self.m)
        self.driver = Driver(self.m, tree, tree.find(NIC), BASE)
        self.assertEqual(self.driver.status() & 0x14, 4, "link up, no reset")
        self.test_header_split_to_host_memory_with_interrupt()


class Gpu(NicAndGpu):
    def test_configuration_space_and_register_page(self):
        self.assertEqual(self.gpu.sizes[1], VRAM)
        self.assertEqual(self.m.read("l", self.page), 0x55475050)
        self.assertEqual(self.m.read("l", self.page + 8), 1, "VRAM's BAR")
        self.assertEqual(self.m.read("q", self.page + 16), VRAM)

    def copy(self, number, source, destination, length, flags):
        ring, done = BUFFERS, BUFFERS + 0x8000
        if number == 0:
            self.m.write("q", self.page + 0x100, ring)
            self.m.write("l", self.page + 0x108, 16)
        self.m.store(ring + number * 32, struct.pack("<QQIIQ", source, destination, length, flags | 4, done))
        self.m.write("l", self.page + 0x1000, number + 1)
        self.assertTrue(self.m.until(lambda: self.m.read("l", self.page + 0x10C) == number + 1))
        return struct.unpack("<II", self.m.load(done, 8))

    def test_copy_engine_moves_bytes_and_refuses_what_is_outside(self):
        data = pattern(70000)
        self.m.store(BUFFERS + 0x10000, data)
        self.assertEqual(self.copy(0, BUFFERS + 0x10000, 0x3000, len(data), 1), (1, 0))
        self.assertEqual(self.m.load(self.vram + 0x3000, len(data)), data)
        self.assertEqual(self.copy(1, 0x3000, BUFFERS + 0x40000, len(data), 2), (2, 0))
        self.assertEqual(self.m.load(BUFFERS + 0x40000, len(data)), data)
        self.assertEqual(self.copy(2, VRAM - 10, 0, 20, 0), (3, 1))
        self.assertEqual(self.copy(3, 0xFFFFFFFFFFFFFFF0, 0, 64, 1), (4, 2))

    def test_virtio_control_queue_makes_blobs(self):
        m, common = self.m, self.gpu.bars[3]
        table, ring, used, area = (BUFFERS + 0x1000 * i for i in range(4))
        for status in (0, 1, 3):
            m.write("b", common + 20, status)
        m.write("l", common + 0, 0)
        self.assertEqual(m.read("l", common + 4) & 9, 9, "VIRGL and RESOURCE_BLOB")
        for half, features in ((0, 9), (1, 1)):
            m.write("l", common + 8, half)
            m.write("l", common + 12, features)
        m.write("b", common + 20, 11)
        self.assertEqual(m.read("b", common + 20) & 8, 8)
        m.write("w", common + 22, 0)
        for offset, address in ((32, table), (40, ring), (48, used)):
            m.write("l", common + offset, address & 0xFFFFFFFF)
            m.write("l", common + offset + 4, address >> 32)
        m.write("w", common + 28, 1)
        m.write("b", common + 20, 15)
        replies = []
        commands = [struct.pack("<IIQIIIIIIQQ", 0x10C, 0, 0, 0, 0, 5, 2, 3, 0, 1, 65536),   # create
                    struct.pack("<IIQIIIIQ", 0x208, 1, 77, 0, 0, 5, 0, 0x10000),            # map, fenced
                    struct.pack("<IIQIIIIQ", 0x208, 0, 0, 0, 0, 5, 0, VRAM)]                # map again, outside
        for number, command in enumerate(commands):
            m.store(area, command)
            m.store(table, struct.pack("<QIHHQIHH", area, len(command), 1, 1, area + 0x800, 512, 2, 0))
            m.store(ring, struct.pack("<HHH", 0, number + 1, 0) + bytes(2 * number))
            m.store(ring + 4 + 2 * number, struct.pack("<H", 0))
            m.write("w", common + 0x3000, 0)
            self.assertTrue(m.until(lambda: struct.unpack("<H", m.load(used + 2, 2))[0] == number + 1), number)
            replies.append(m.load(area + 0x800, 32))
        self.assertEqual([struct.unpack_from("<I", r)[0] for r in replies], [0x1100, 0x1106, 0x1205])
        self.assertEqual(struct.unpack_from("<IQ", replies[1], 4), (1, 77), "fence")
        self.assertEqual(m.counters("gpu0")["refused_commands"], 1)


class AmdLayout(NicAndGpu):
    layout = "amd"

    def test_bars(self):
        self.assertEqual(self.gpu.sizes[0], VRAM)
        self.assertEqual(self.gpu.sizes[5], 65536)
        self.assertEqual(self.m.read("l", self.page + 8), 0)


class Switch(NicAndGpu):
    def test_ports_and_acs(self):
        self.tree.find(UPSTREAM)
        for number in range(2):
            port = self.tree.find(DOWNSTREAM, number)
            acs = self.tree.extended(port, 0x0D)
            self.assertEqual(self.m.config(port.bdf, acs + 4, 2), 0x5F, "SV, TB, RR, CR, UF, DT")
            self.m.set_config(port.bdf, acs + 6, 0x0C, 2)
            self.assertEqual(self.m.get(f"sw0p{number}", "acs-control"), 0x0C)
            self.m.set_config(port.bdf, acs + 6, 0, 2)
            self.assertEqual(self.m.get(f"sw0p{number}", "acs-control"), 0)
            self.m.set(f"sw0p{number}", "acs-control", 0x1D)
            self.assertEqual(self.m.config(port.bdf, acs + 6, 2), 0x1D)
        with self.assertRaises(RuntimeError):
            self.m.set("sw0p0", "acs-control", 0x8000)


class Files(NicAndGpu):
    file = pathlib.Path("/tmp") / f"peerpath-ledger-{pathlib.os.getpid()}.json"
    nic_options = f",ledger={file},trace={file}l"

    def test_ledger_and_trace_are_written(self):
        self.ready_rx(self.vram)
        self.wire.send(tcp(pattern(500)))
        self.driver.receive()
        self.m.qmp("quit")
        self.m.process.wait(10)
        text = json.loads(self.file.read_text())
        lines = [json.loads(line) for line in pathlib.Path(f"{self.file}l").read_text().splitlines()]
        self.file.unlink()
        pathlib.Path(f"{self.file}l").unlink()
        self.assertTrue(any(r["completer"] == "gpu0" and r["bytes"] == 500 for r in text["routes"]))
        payload = [line for line in lines if line.get("purpose") == "payload"]
        self.assertEqual([(p["requester"], p["completer"], p["bytes"], p["turned"], p["path"]) for p in payload],
                         [("nic0", "gpu0", 500, "switch", [["nic0-sw0", "up"], ["gpu0-sw0", "down"]])])
        frames = [line for line in lines if line["operation"] == "frame"]
        self.assertEqual([(f["device"], f["direction"], f["bytes"]) for f in frames], [("nic0", "in", len(tcp(pattern(500))))])
        self.assertEqual(frames[0]["begins"], tcp(pattern(500))[:128].hex())


class NotSaved(unittest.TestCase):
    def test_migration_is_refused(self):
        for device in ("peerpath-nic", "peerpath-gpu"):
            m = Machine([device])
            self.addCleanup(m.process.kill)
            with self.assertRaisesRegex(RuntimeError, "non-migratable.*peerpath"):
                m.qmp("migrate", uri="exec:cat > /dev/null")
            self.assertEqual(m.close(), 0)


class WrongProperties(unittest.TestCase):
    def test_a_device_that_cannot_be_is_refused(self):
        m = Machine(["pcie-root-port,id=rp0"])
        self.addCleanup(m.process.kill)
        for wrong in ({"driver": "peerpath-nic", "queues": 99}, {"driver": "peerpath-nic", "wire-faults": "drop:x"},
                      {"driver": "peerpath-gpu", "layout": "none"}, {"driver": "peerpath-gpu", "vram-size": 4096}):
            with self.assertRaisesRegex(RuntimeError, "peerpath"):
                m.qmp("device_add", bus="rp0", **wrong)
        self.assertEqual(m.close(), 0)


if __name__ == "__main__":
    need_qemu()
    unittest.main()
