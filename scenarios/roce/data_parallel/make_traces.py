#!/usr/bin/env python3
"""Writes rank0.et to rank7.et beside this script: Chakra execution traces of two steps of data-parallel training, made up.

A step goes forward through four layers and back; each layer's gradients, 8 MiB, are summed over the ranks as soon as they
are there, while the GPU goes on with the layer before. The optimizer waits for all sums. Each message stands behind its
length; field numbers are those of Chakra's et_def.proto.
"""

import pathlib

RANKS, STEPS, LAYERS = 8, 2, 4
FORWARD_US, BACKWARD_US, OPTIMIZER_US = 100, 400, 50
GRADIENTS = 8 << 20
COMPUTE, COLLECTIVE, ALL_REDUCE = 4, 7, 0


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, field, value):
    return block(10, block(1, name) + (number(field, value) if isinstance(value, int) else block(field, value)))


def node(ident, name, kind, after, micros=0, attributes=b""):
    content = number(1, ident) + block(2, name) + number(3, kind)
    if after:
        content += block(5, b"".join(varint(i) for i in after))
    if micros:
        content += number(7, micros)
    content += attribute("is_cpu_op", 27, 0) + attributes
    return varint(len(content)) + content


def trace():
    version = block(1, "0.0.4")
    out = [varint(len(version)) + version]
    ident, last = 0, []

    def add(name, kind, after, micros=0, attributes=b""):
        nonlocal ident
        ident += 1
        out.append(node(ident, name, kind, after, micros, attributes))
        return [ident]

    for step in range(STEPS):
        for layer in range(LAYERS):
            last = add(f"step {step} forward {layer}", COMPUTE, last, FORWARD_US)
        sums = []
        for layer in reversed(range(LAYERS)):
            last = add(f"step {step} backward {layer}", COMPUTE, last, BACKWARD_US)
            sums += add(f"step {step} gradients {layer}", COLLECTIVE, last,
                        attributes=attribute("comm_type", 9, ALL_REDUCE) + attribute("comm_size", 9, GRADIENTS)
                        + attribute("pg_name", 29, "0"))
        last = add(f"step {step} optimizer", COMPUTE, sums, OPTIMIZER_US)
    return b"".join(out)


def main():
    for rank in range(RANKS):
        pathlib.Path(__file__).with_name(f"rank{rank}.et").write_bytes(trace())


if __name__ == "__main__":
    main()
