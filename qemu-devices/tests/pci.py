# SPDX-License-Identifier: GPL-2.0-or-later
"""What firmware does: bus numbers, BARs, bridge windows, enables. BDFs are 16-bit IDs."""

CLOSED = (0xFFF0, 0)


def up_to(value, step):
    return (value + step - 1) & ~(step - 1)


class Function:
    def __init__(self, bdf, identity):
        self.bdf, self.identity, self.bars, self.sizes = bdf, identity, {}, {}


class Tree:
    """Enumerates the machine. `functions` are in the order of discovery."""

    def __init__(self, machine, low=0xC0000000, high=0x8000000000 >> 4):
        self.m, self.low, self.high, self.next, self.functions = machine, low, high, 1, []
        self.scan(0)

    def find(self, identity, number=0):
        return [f for f in self.functions if f.identity == identity][number]

    def scan(self, bus):
        for device in range(32):
            bdf = bus << 8 | device << 3
            identity = self.m.config(bdf, 0)
            if identity in (0, 0xFFFFFFFF) or (bus == 0 and identity & 0xFFFF == 0x8086):
                continue
            function = Function(bdf, identity)
            self.functions.append(function)
            if self.m.config(bdf, 0xE, 1) & 0x7F == 1:
                self.bridge(function, bus)
            else:
                self.endpoint(function)
            self.m.set_config(bdf, 4, 6, 2)

    def bridge(self, function, bus):
        m, bdf, secondary = self.m, function.bdf, self.next
        self.next += 1
        for offset, value in ((0x18, bus), (0x19, secondary), (0x1A, 0xFF)):
            m.set_config(bdf, offset, value, 1)
        self.low, self.high = up_to(self.low, 1 << 20), up_to(self.high, 1 << 20)
        low, high = self.low, self.high
        self.scan(secondary)
        m.set_config(bdf, 0x1A, self.next - 1, 1)
        self.low, self.high = up_to(self.low, 1 << 20), up_to(self.high, 1 << 20)
        for offset, base, end in ((0x20, low, self.low), (0x24, high, self.high)):
            window = (base >> 16 & 0xFFF0, end - 1 >> 16 & 0xFFF0) if end > base else CLOSED
            m.set_config(bdf, offset, window[0], 2)
            m.set_config(bdf, offset + 2, window[1], 2)
        m.set_config(bdf, 0x28, high >> 32)
        m.set_config(bdf, 0x2C, self.high - 1 >> 32)

    def endpoint(self, function):
        m, bdf, i = self.m, function.bdf, 0
        while i < 6:
            offset = 0x10 + 4 * i
            m.set_config(bdf, offset, 0xFFFFFFFF)
            mask = m.config(bdf, offset)
            wide = mask & 6 == 4
            if mask == 0:
                i += 1
                continue
            if wide:
                m.set_config(bdf, offset + 4, 0xFFFFFFFF)
                size = (~(m.config(bdf, offset + 4) << 32 | mask & ~15) & (1 << 64) - 1) + 1
                address = self.high = up_to(self.high, max(size, 4096))
                self.high += size
                m.set_config(bdf, offset + 4, address >> 32)
            else:
                size = (~(mask & ~15) & 0xFFFFFFFF) + 1
                address = self.low = up_to(self.low, max(size, 4096))
                self.low += size
            m.set_config(bdf, offset, address & 0xFFFFFFFF)
            function.bars[i], function.sizes[i] = address, size
            i += 2 if wide else 1

    def capability(self, function, wanted):
        at = self.m.config(function.bdf, 0x34, 1)
        while at:
            if self.m.config(function.bdf, at, 1) == wanted:
                return at
            at = self.m.config(function.bdf, at + 1, 1)
        return None

    def extended(self, function, wanted):
        """Offset of an extended capability, or None."""
        at = 0x100
        while at:
            header = self.m.config(function.bdf, at)
            if header & 0xFFFF == wanted:
                return at
            at = header >> 20
        return None

    def enable_msix(self, function, bar, address):
        """Vector i writes the number 0x4000 + i to `address` + 4 * i."""
        at = self.capability(function, 0x11)
        vectors = (self.m.config(function.bdf, at + 2, 2) & 0x7FF) + 1
        for i in range(vectors):
            entry = function.bars[bar] + 16 * i
            for offset, value in ((0, address + 4 * i), (4, 0), (8, 0x4000 + i), (12, 0)):
                self.m.write("l", entry + offset, value)
        self.m.set_config(function.bdf, at + 2, 0x8000, 2)
        return vectors
