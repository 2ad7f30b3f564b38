#!/usr/bin/env python3
"""Writes mixed_sizes.pcap beside this script: 600 TCP frames of 8 flows, made up, the same at every run.

Payloads of 64 B, 512 B, 1448 B, 4096 B and 8192 B in random order, with random pauses between them, about 100 Gb/s in the
mean. Nanosecond time stamps; only the first 96 B of each frame are stored.
"""

import pathlib
import struct

FRAMES, FLOWS, SNAP = 600, 8, 96
PAYLOADS = (64, 512, 1448, 4096, 4096, 4096, 8192)
START_NS = 1_750_000_000 * 10**9


def random_numbers(state):
    """The generator of Numerical Recipes, chapter 7.1 ("quick and dirty"), upper bits."""
    while True:
        state = (1664525 * state + 1013904223) % 2**32
        yield state >> 8


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def headers(flow, sequence, payload):
    ethernet = bytes.fromhex("020000000002") + bytes.fromhex("020000000001") + b"\x08\x00"
    source, destination = bytes([10, 1, 0, flow + 1]), bytes([10, 1, 1, 1])
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 52 + payload, 0, 0x4000, 64, 6, 0, source, destination)
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    options = bytes.fromhex("0101080a") + bytes(8)
    tcp = struct.pack("!HHIIBBHHH", 40000 + flow, 5201, sequence, 1, 8 << 4, 0x10, 0xFFFF, 0, 0) + options
    return ethernet + ip + tcp


def main():
    numbers = random_numbers(1)
    sequence = [1] * FLOWS
    now = START_NS
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, SNAP, 1)]
    for _ in range(FRAMES):
        flow, payload = next(numbers) % FLOWS, PAYLOADS[next(numbers) % len(PAYLOADS)]
        head = headers(flow, sequence[flow], payload)
        sequence[flow] += payload
        stored = (head + bytes(payload))[:SNAP]
        size = len(head) + payload
        out.append(struct.pack("<IIII", now // 10**9, now % 10**9, len(stored), size) + stored)
        wire_ns = (size + 24) * 8 // 200
        now += wire_ns + next(numbers) % (2 * wire_ns + 1)
    pathlib.Path(__file__).with_name("mixed_sizes.pcap").write_bytes(b"".join(out))


if __name__ == "__main__":
    main()
