# SPDX-License-Identifier: GPL-2.0-or-later
"""Intel VT-d with second-level tables of 2 MiB pages, as far as tests need it."""

REGISTERS = 0xFED90000
PAGE = 1 << 21


class Vtd:
    def __init__(self, machine, base):
        """Tables are made from `base` on."""
        self.m, self.next, self.tables = machine, base, {}
        self.root = self.page()
        self.contexts = {}

    def page(self):
        at, self.next = self.next, self.next + 4096
        self.m.store(at, bytes(4096))
        return at

    def entry(self, table, index):
        at = table + 8 * index
        value = self.m.read("q", at)
        if not value & 3:
            value = self.page() | 3
            self.m.write("q", at, value)
        return value & ~0xFFF

    def map(self, bdf, address, target, size):
        """Maps `size` bytes at `address` to `target` for one requester, and turns translation on."""
        bus, function = bdf >> 8, bdf & 0xFF
        if bus not in self.contexts:
            self.contexts[bus] = self.page()
            self.m.write("q", self.root + 16 * bus, self.contexts[bus] | 1)
        if bdf not in self.tables:
            self.tables[bdf] = self.page()
            self.m.write("q", self.contexts[bus] + 16 * function, self.tables[bdf] | 1)
            self.m.write("q", self.contexts[bus] + 16 * function + 8, 1 << 8 | 1)  # three levels, domain 1
        for offset in range(0, size, PAGE):
            at = address + offset
            leaf = self.entry(self.tables[bdf], at >> 30)
            self.m.write("q", leaf + 8 * (at >> 21 & 511), target + offset | 3 | 1 << 7)
        self.enable()

    def identity(self, bdf, start, end):
        self.map(bdf, start, start, end - start)

    def enable(self):
        m, r = self.m, REGISTERS
        m.write("q", r + 0x20, self.root)
        m.write("l", r + 0x18, 1 << 30)
        m.write("q", r + 0x28, 1 << 63 | 1 << 61)
        m.write("q", r + ((m.read("q", r + 0x10) >> 8) & 0x3FF) * 16 + 8, 1 << 63 | 1 << 60)
        m.write("l", r + 0x18, 1 << 31)

    def faults(self):
        return self.m.read("l", REGISTERS + 0x34) & 2
