#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the recording of models/devices/nic/shells_test.cpp from a trace of a guest.

usage: qemu-devices/tests/make_recording.py TRACE QUEUE >models/devices/nic/testdata/guest.recording

TRACE is what `peerpath-nic,trace=FILE` wrote while a scenario ran; QUEUE the receive queue whose buffers and frames are taken. A
packet longer than the MTU is one that the NIC cuts. The rings of the test have 64 entries, those of the guest more: buffers beyond
what there is room for are posted when there is.
"""

import json
import sys

ENTRIES, RING, MTU, MSS = 64, 1024, 9000, 4096
RX_DOORBELLS = 512  # number of the first


def main(file, queue):
    lines = [json.loads(line) for line in open(file, encoding="utf-8")]
    lines = [line for line in lines if line["operation"] != "frame"]
    events, tail, posted, waiting, used = [], 0, 0, 0, 0
    at = 0
    page = min(int(x["address"], 16) for x in lines if x["purpose"] == "doorbell") & ~0xfff

    def post():
        nonlocal waiting, posted
        count = min(waiting, ENTRIES - 1 - (posted - used))
        if count > 0:
            events.append(f"post {count}")
            waiting -= count
            posted += count

    while at < len(lines):
        x = lines[at]
        at += 1
        address = int(x["address"], 16)
        if x["purpose"] == "doorbell" and (address & ~0xfff) == page:
            if address & 0xfff == 4 * (RX_DOORBELLS + queue):
                waiting += (x["value"] - tail) % RING
                tail = x["value"]
                post()
            continue
        if x["requester"] != "nic0" or x["purpose"] not in ("header", "control"):
            continue
        follows = lines[at] if at < len(lines) else {"purpose": "", "operation": ""}
        paired = x["purpose"] == "header" and follows["purpose"] in ("payload", "retransmission")
        size = 0
        while paired and at < len(lines) and (lines[at]["purpose"], lines[at]["operation"]) in (
                ("payload", x["operation"]), ("retransmission", x["operation"])):
            size += lines[at]["bytes"]
            at += 1
        if x["operation"] == "write" and 50 < x["bytes"] < 100:
            events.append(f"frame {size}")
            used += max(1, -(-size // 4096))
            post()
        elif x["operation"] == "read" and 50 < x["bytes"] < 100:
            events.append(f"send {size} {MSS if size > MTU - 52 else 0}")
    print("\n".join(events))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
