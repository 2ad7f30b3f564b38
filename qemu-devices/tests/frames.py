# SPDX-License-Identifier: GPL-2.0-or-later
"""Ethernet frames to send and to check."""

import ipaddress
import struct


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def tcp(payload, version=4, sequence=1, flags=0x10, port=5000, good=True, frame=True):
    """A TCP segment in an Ethernet frame; `good`: with the right checksum."""
    segment = struct.pack(">HHIIBBHHH", 1000, port, sequence, 0, 5 << 4, flags, 1000, 0, 0) + payload
    if version == 4:
        source, target = (ipaddress.ip_address(a).packed for a in ("10.0.0.1", "10.0.0.2"))
    else:
        source, target = (ipaddress.ip_address(a).packed for a in ("fd00::1", "fd00::2"))
    pseudo = source + target + struct.pack(">IxxxB" if version == 6 else ">xBH", *((len(segment), 6) if version == 6 else (6, len(segment))))
    value = checksum(pseudo + segment) ^ (0 if good else 0x1234)
    segment = segment[:16] + struct.pack(">H", value) + segment[18:]
    if version == 4:
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(segment), 7, 0, 64, 6, 0, source, target)
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    else:
        ip = struct.pack(">IHBB16s16s", 6 << 28, len(segment), 6, 64, source, target)
    return b"\x02\x50\x50\0\0\1\x02\x50\x50\0\0\2" + (b"\x08\0" if version == 4 else b"\x86\xdd") + ip + segment


def header_size(version):
    return 14 + (20 if version == 4 else 40) + 20


def pattern(size, seed=1):
    return bytes((i * 31 + i // 251 + seed) & 0xFF for i in range(size))
