# SPDX-License-Identifier: GPL-2.0-or-later
"""A driver for peerpath-nic, as little as the tests need. Formats: Linux drivers/net/ethernet/google/gve."""

import struct

from pci import Tree

RX_DOORBELLS, TX_DOORBELLS = 512, 256


class Driver:
    """Works queue 0 of a NIC. All memory is from `base` on: admin queue, scratch, rings, buffers."""

    def __init__(self, machine, tree: Tree, function, base, entries=256):
        self.m, self.f, self.base, self.entries = machine, function, base, entries
        self.registers, self.doorbells = function.bars[0], function.bars[2]
        self.admin, self.scratch = base, base + 0x1000
        self.rx_ring, self.rx_done = base + 0x10000, base + 0x20000
        self.tx_ring, self.tx_done = base + 0x30000, base + 0x40000
        self.messages = base + 0x50000
        self.commands = self.posted = self.seen = self.sent = self.tx_seen = 0
        machine.store(base, bytes(0x51000))
        tree.enable_msix(function, 1, self.messages)
        machine.write("w", self.registers + 0x28, 0x0010)  # 4096, big-endian
        self.register(0x20, base >> 32)
        self.register(0x24, base & 0xFFFFFFFF)
        self.register(4, 1)

    def register(self, offset, value):
        self.m.write("l", self.registers + offset, int.from_bytes(value.to_bytes(4, "big"), "little"))

    def status(self):
        return int.from_bytes(self.m.read("l", self.registers).to_bytes(4, "little"), "big")

    def done(self):
        """Admin commands done, by the event counter."""
        return int.from_bytes(self.m.read("l", self.registers + 0x18).to_bytes(4, "little"), "big")

    def command(self, opcode, fields):
        """Fields: {offset: (size, value)}. Returns the status."""
        raw = bytearray(64)
        raw[0:4] = opcode.to_bytes(4, "big")
        for at, (size, value) in fields.items():
            raw[at:at + size] = value.to_bytes(size, "big")
        slot = self.admin + self.commands % 64 * 64
        self.m.store(slot, bytes(raw))
        self.commands += 1
        self.register(0x14, self.commands)
        self.m.until(lambda: self.done() == self.commands, 1)
        return int.from_bytes(self.m.load(slot + 4, 4), "big")

    def steer_all(self):
        self.m.store(self.scratch, bytes(512))
        return self.command(0xA, {14: (2, 128), 24: (8, self.scratch)})

    def create_rx(self, buffer_size=4096, header_size=128, ring=None, rsc=0):
        self.posted = self.seen = 0
        return self.command(6, {20: (4, 4), 24: (8, self.scratch), 32: (8, self.rx_done), 40: (8, ring or self.rx_ring),
                                48: (4, 0xFFFFFFFF), 52: (2, self.entries), 54: (2, buffer_size), 56: (2, self.entries),
                                58: (1, rsc), 60: (2, header_size)})

    def create_tx(self, ring=None):
        self.sent = self.tx_seen = 0
        return self.command(5, {16: (8, self.scratch), 24: (8, ring or self.tx_ring), 32: (4, 0xFFFFFFFF),
                                40: (8, self.tx_done), 48: (2, self.entries), 50: (2, self.entries)})

    def post(self, buffers):
        """Buffers: (payload address, header address), their number is their place in the ring."""
        for payload, header in buffers:
            slot = self.posted % self.entries
            self.m.store(self.rx_ring + 32 * slot, struct.pack("<H6xQQ8x", slot, payload, header))
            self.posted += 1
        self.m.write("l", self.doorbells + 4 * RX_DOORBELLS, self.posted % self.entries)

    def next_rx(self):
        """The next receive completion as a dict, or None."""
        raw = self.m.load(self.rx_done + 32 * (self.seen % self.entries), 32)
        length, header = struct.unpack_from("<HH", raw, 4)
        if (length >> 14 & 1) == (self.seen // self.entries & 1):
            return None
        self.seen += 1
        return {"length": length & 0x3FFF, "header": header & 0x3FF, "split": header >> 11 & 1, "flags": raw[8],
                "buffer": struct.unpack_from("<H", raw, 12)[0], "error": raw[1] >> 2 & 1, "rsc": header >> 10 & 1,
                "segment": struct.unpack_from("<H", raw, 14)[0], "type": struct.unpack_from("<H", raw, 2)[0] & 0x3FF}

    def receive(self):
        return self.m.until(self.next_rx)

    def describe(self, raw):
        self.m.store(self.tx_ring + 16 * (self.sent % self.entries), raw)
        self.sent += 1

    def send(self, pieces, mss=0, header=0, tag=1, checksum=True, ring=True):
        """Pieces: (address, size)."""
        self.describe(struct.pack("<8xB7x", 4))
        if mss:
            self.describe(struct.pack("<IHBxB7x", max(sum(n for _, n in pieces) - header, 0), mss, header, 0x25))
        for i, (address, size) in enumerate(pieces):
            flags = 0xC | (0x40 if checksum else 0) | (0xA0 if i + 1 == len(pieces) else 0)
            self.describe(struct.pack("<QB3xHH", address, flags, tag, size))
        if ring:
            self.ring()

    def ring(self):
        self.m.write("l", self.doorbells + 4 * TX_DOORBELLS, self.sent % self.entries)

    def next_tx(self):
        word, value = struct.unpack("<HH", self.m.load(self.tx_done + 8 * (self.tx_seen % self.entries), 4))
        if (word >> 15) == (self.tx_seen // self.entries & 1):
            return None
        self.tx_seen += 1
        return word >> 11 & 7, value

    def arm(self, vector):
        self.m.write("l", self.doorbells + 4 * vector, 1)

    def interrupted(self, vector):
        return self.m.read("l", self.messages + 4 * vector) == 0x4000 + vector
