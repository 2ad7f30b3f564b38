#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a hostile guest may try. Each case must be refused and counted, and QEMU must go on."""

import random
import struct
import unittest

from fixture import BASE, BUFFERS, VRAM, NicAndGpu
from frames import header_size, pattern, tcp
from machine import GPU, WINDOW, need_qemu

NOWHERE = 0x7000000000
WRAPS = 0xFFFFFFFFFFFFFFF0
PASSED = 1


class Guarded(NicAndGpu):
    def tearDown(self):
        self.assertTrue(self.m.alive())
        for device in ("nic0", "gpu0"):
            self.assertEqual(self.m.counters(device)["faults"], 0)

    def counted(self, name, device="nic0"):
        """Checks that the counter grows within the block."""
        test = self

        class Counted:
            def __enter__(self):
                self.before = test.m.counters(device)[name]

            def __exit__(self, kind, *_):
                if kind is None:
                    test.assertTrue(test.m.until(lambda: test.m.counters(device)[name] > self.before), name)

        return Counted()


class Hostile(Guarded):
    def test_admin_queue_outside_memory(self):
        for address in (NOWHERE, WRAPS & ~0xFFF, self.nic.bars[0], self.nic.bars[2]):
            self.driver.register(0x20, address >> 32)
            self.driver.register(0x24, address & 0xFFFFFFFF)
            self.driver.register(4, 1)
            with self.counted("refused_commands"):
                self.driver.register(0x14, 3)

    def test_admin_doorbell_far_ahead(self):
        with self.counted("bad_doorbells"):
            self.driver.register(0x14, 0x80000000)

    def test_admin_commands_of_any_contents(self):
        dice = random.Random(1)
        for _ in range(300):
            fields = {at: (8, dice.choice((0, 1, WRAPS, NOWHERE, BASE + 0x1000, dice.getrandbits(64)))) for at in range(8, 64, 8)}
            self.driver.command(dice.choice((*range(0x14), 0xFF)), fields)
        self.assertGreater(self.m.counters("nic0")["refused_commands"], 0)

    def test_rings_outside_memory(self):
        for ring in (NOWHERE, WRAPS):
            self.driver.create_rx(ring=ring)
            with self.counted("dma_errors"):
                self.m.write("l", self.driver.doorbells + 4 * 512, 32)
            self.driver.command(8, {})
            self.driver.create_tx(ring=ring)
            with self.counted("dma_errors"):
                self.m.write("l", self.driver.doorbells + 4 * 256, 32)
            self.driver.command(7, {})

    def test_ring_sizes(self):
        for size in (0, 1, 63, 65, 4096, 65535):
            with self.counted("refused_commands"):
                self.driver.command(5, {24: (8, BASE), 32: (4, 0xFFFFFFFF), 48: (2, size), 50: (2, 64)})

    def test_rings_in_its_own_registers(self):
        self.driver.steer_all()
        self.driver.create_rx()
        self.driver.post([(self.nic.bars[2], self.nic.bars[2])] * 32)
        with self.counted("dma_errors"):
            self.wire.send(tcp(pattern(500)))

    def test_buffers_nowhere(self):
        self.driver.steer_all()
        self.driver.create_rx()
        self.driver.post([(NOWHERE, WRAPS)] * 32)
        with self.counted("dma_errors"):
            self.wire.send(tcp(pattern(500)))
        self.assertEqual(self.driver.receive()["error"], 1)

    def test_transmit_descriptors(self):
        self.driver.create_tx()
        n = header_size(4)
        self.m.store(BUFFERS, tcp(pattern(3000)))
        cases = [([(NOWHERE, 100)], 0, 0), ([(WRAPS, 4000)], 0, 0), ([(BUFFERS, 5)], 0, 0), ([(BUFFERS, 0)], 0, 0),
                 ([(BUFFERS, 3000)], 1, n), ([(BUFFERS, 3000)], 16383, n), ([(BUFFERS, 3000)], 1448, 255), ([(BUFFERS, 3000)], 1448, 0),
                 ([(BUFFERS, 40)], 1448, n), ([(BUFFERS, 100)] * 11, 0, 0), ([(BUFFERS, 16383)], 0, 0)]
        for pieces, mss, header in cases:
            with self.counted("bad_descriptors"):
                self.driver.send(pieces, mss, header)
        self.driver.send([(BUFFERS, n), (NOWHERE, 1000)])
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["dma_errors"] >= 3))
        self.assertEqual(self.m.counters("nic0")["tx_frames"], 0)

    def test_a_packet_without_end(self):
        self.driver.create_tx()
        for _ in range(5):
            for _ in range(255):
                self.driver.describe(struct.pack("<QB3xHH", BUFFERS, 0xC, 1, 16383))
            self.driver.ring()
        self.assertEqual(self.m.counters("nic0")["tx_frames"], 0)

    def test_doorbell_storm_and_reset_in_flight(self):
        self.driver.create_tx()
        self.m.store(BUFFERS, tcp(pattern(64)))
        for i in range(2000):
            self.m.write("l", self.driver.doorbells + 4 * (i * 7 % 1024), i)
            if i % 500 == 499:
                self.driver.register(4, 2)
                self.driver.register(4, 1)
                self.driver.commands = 0
                self.driver.create_tx()
        self.assertGreater(self.m.counters("nic0")["bad_doorbells"], 0)

    def test_frames_of_any_length_and_contents(self):
        self.ready_rx(BUFFERS + 0x10000, buffers=200)
        dice = random.Random(2)
        good = tcp(pattern(200), 6)
        for n in range(1, len(good)):
            self.wire.send(good[:n])
        for _ in range(200):
            frame = bytearray(good)
            for _ in range(8):
                frame[dice.randrange(14, 74)] = dice.getrandbits(8)
            self.wire.send(bytes(frame))
        self.wire.send(bytes(65000))
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["rx_dropped"] > 50))

    def test_copy_engines(self):
        page = self.page
        with self.counted("bad_doorbells", "gpu0"):
            self.m.write("l", page + 0x1000, 1)
        for ring in (NOWHERE, WRAPS, self.page + 0x1000):
            self.m.write("q", page + 0x100, ring)
            self.m.write("l", page + 0x108, 4096)
            with self.counted("failed_copies", "gpu0"):
                self.m.write("l", page + 0x1000, 4096)
        ring = BUFFERS
        dice = random.Random(3)
        for _ in range(256):
            ring += 32
            self.m.store(ring - 32, struct.pack("<QQIIQ", *(dice.choice((0, VRAM - 8, WRAPS, self.page, self.vram, BUFFERS)) for _ in range(2)),
                                                dice.choice((0, 64, 1 << 20, 1 << 31)), dice.getrandbits(3), dice.choice((NOWHERE, self.page, BUFFERS + 0x100000))))
        self.m.write("q", page + 0x100, BUFFERS)
        self.m.write("l", page + 0x108, 256)
        self.m.write("l", page + 0x1000, 256)
        self.assertTrue(self.m.until(lambda: self.m.read("l", page + 0x10C) == 256))

    def test_registers_of_any_kind(self):
        dice = random.Random(4)
        for _ in range(1500):
            bar = dice.choice((self.page, *self.nic.bars.values()))
            size = dice.choice("bwlq")
            offset = dice.randrange(0, 4088)
            if dice.random() < 0.5:
                self.m.read(size, bar + offset)
            else:
                self.m.write(size, bar + offset, dice.getrandbits({"b": 8, "w": 16, "l": 32, "q": 64}[size]))

    def test_dma_to_what_is_not_memory(self):
        for address in (WINDOW, WINDOW + (self.nic.bdf << 12), 0xFEC00000, 0xFEE00000, 0xFED00000):
            self.driver.command(8, {})
            self.driver.steer_all()
            self.driver.create_rx()
            self.driver.post([(address, BUFFERS)] * 32)
            with self.counted("dma_errors"):
                self.wire.send(tcp(pattern(4)))


class OnTheRootBus(Guarded):
    """Where no port refuses a request that would come back to it."""

    nic_bus = "pcie.0"

    def test_frames_that_are_let_go_into_its_own_registers(self):
        self.driver.steer_all()
        self.driver.create_rx(rsc=1)
        self.driver.post([(self.nic.bars[2], BUFFERS)] * 32)
        self.wire.send(tcp(pattern(500)))
        self.assertTrue(self.m.until(lambda: self.m.counters("nic0")["rx_descriptors"] > 0))
        before = self.m.counters("nic0")["bad_doorbells"]
        with self.counted("dma_errors"):
            self.m.until(lambda: self.m.ask("clock_step 1000000") and self.m.counters("nic0")["rx_frames"])
        self.assertEqual(self.m.counters("nic0")["bad_doorbells"], before)


class ManyBuffers(Guarded):
    nic_options = ",max-mtu=17000"

    def test_a_frame_of_more_buffers_than_are_read_ahead(self):
        self.driver.steer_all()
        self.driver.create_rx(256, 0)
        self.driver.post([(BUFFERS + i * 256, 0) for i in range(200)])
        frame = tcp(pattern(16400))
        self.wire.send(frame)
        got = b""
        for _ in range((len(frame) + 255) // 256):
            done = self.driver.receive()
            got += self.m.load(BUFFERS + done["buffer"] * 256, done["length"])
        self.assertEqual(got, frame)


class LongWork(Guarded):
    """Work on a peer's registers takes long; others of QEMU's loop have their turn in between."""

    behind = ("pcie-root-port,id=rp9,chassis=9,slot=9", "peerpath-gpu,id=gpu1,bus=rp9,vram-size=1M")

    def test_copies(self):
        page, copies = self.tree.find(GPU, 1).bars[0], 512
        for i in range(copies):
            self.m.store(BUFFERS + 32 * i, struct.pack("<QQIIQ", 0, page, 0x10000, 2, 0))
        self.m.write("q", self.page + 0x100, BUFFERS)
        self.m.write("l", self.page + 0x108, copies)
        self.m.write("l", self.page + 0x1000, copies)
        self.assertTrue(self.m.until(lambda: self.m.counters("gpu0")["copies"] > 0, 20))
        self.assertLess(self.m.counters("gpu0")["copies"], copies, "nobody else had a turn")


if __name__ == "__main__":
    need_qemu()
    unittest.main()
