#!/usr/bin/env python3
"""What `peerpath run --trace` writes, read by others: protobuf's wire format by field numbers of Perfetto, VCD by vcd2fst.

usage: trace_test.py PEERPATH SCENARIOS
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

from cli_case import SCENARIO, Case, peerpath


def fields(data):
    """(number, value) of each field of a protobuf message (encoding guide: varint, 64 bit, bytes)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        if kind == 0:
            yield number, varint()
        elif kind == 1:
            yield number, struct.unpack_from("<Q", data, at)[0]
            at += 8
        elif kind == 2:
            size = varint()
            yield number, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def message(data):
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


# Numbers of perfetto's TracePacket, TrackDescriptor and TrackEvent.
PACKET, TIMESTAMP, EVENT, DESCRIPTOR = 1, 8, 11, 60
UUID, TRACK_NAME, PARENT = 1, 2, 5
TYPE, TRACK, NAME, COUNTER, FLOWS = 9, 11, 23, 30, 47


class Traces(Case):
    def traced(self, *words):
        done = peerpath("run", SCENARIO, "--out", str(self.out), "--set", "run.warmup=0ns", "--set", "run.measure=40us",
                        "--set", "expect=null", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_perfetto_has_tracks_flows_and_counters(self):
        self.traced("--trace", "perfetto", "--trace-scale", "ps")
        packets = [message(value) for number, value in fields((self.out / "trace.perfetto").read_bytes()) if number == PACKET]
        tracks = {d[UUID][0]: (d[TRACK_NAME][0].decode(), d.get(PARENT, [0])[0])
                  for d in (message(p[DESCRIPTOR][0]) for p in packets if DESCRIPTOR in p)}
        names = {name for name, _ in tracks.values()}
        for wanted in ("gpu0-sw0 down", "nic0", "payload", "core 0", "Ethernet port 0 in", "receive FIFO", "requests outstanding"):
            self.assertIn(wanted, names)
        self.assertTrue(all(parent == 0 or parent in tracks for _, parent in tracks.values()))
        depth, last, flows, levels, begun = {}, {}, {}, {}, {}
        for packet in packets:
            if EVENT not in packet:
                continue
            event, when = message(packet[EVENT][0]), packet[TIMESTAMP][0]
            track, kind = event[TRACK][0], event[TYPE][0]
            self.assertIn(track, tracks)
            if kind in (1, 2):  # slices of one track follow each other
                self.assertEqual(depth.get(track, 0), kind - 1, tracks[track])
                self.assertGreaterEqual(when, last.get(track, 0), tracks[track])
                depth[track], last[track] = 2 - kind, when
            if kind == 1:
                begun[tracks[track][0]] = begun.get(tracks[track][0], 0) + 1
            if kind == 4:
                levels.setdefault(tracks[track][0], []).append(event[COUNTER][0])
            for flow in event.get(FLOWS, []):
                flows.setdefault(flow, set()).add(tracks[track][0])
        # A slice for each TLP that the ledger has.
        for part in json.loads((self.out / "results.json").read_text())["ledger"]:
            if part["shape"] != "internal":
                name = f"{part['link']} {part['direction']}"
                self.assertEqual(begun.get(name, 0), sum(row["tlps"] for row in part["rows"]), name)
        # A read of the NIC: its transaction, its request on two links, and its completions on both.
        self.assertTrue(any({"nic0-sw0 up", "nic0-sw0 down", "sw0-rc up", "sw0-rc down"} <= where for where in flows.values()))
        # Descriptors and the completion entries of the same places.
        self.assertTrue(any({"descriptor", "completion entry"} <= where for where in flows.values()))
        self.assertGreater(max(levels["receive FIFO"]), 0)
        self.assertGreater(max(value for name, values in levels.items() if "credits" in name for value in values), 1)

    def test_vcd_is_read_by_gtkwave(self):
        self.traced("--trace", "vcd", "--trace-from", "36us", "--trace-links", "gpu0-sw0")
        text = (self.out / "trace.vcd").read_text()
        self.assertIn("$timescale 1 fs $end", text)
        times = [int(time) for time in re.findall(r"^#(\d+)$", text, re.M)]
        self.assertEqual(times, sorted(set(times)))
        self.assertFalse("nic0-sw0" in text)
        if shutil.which("vcd2fst"):
            done = subprocess.run(["vcd2fst", self.out / "trace.vcd", self.out / "trace.fst"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater((self.out / "trace.fst").stat().st_size, 500)

    def test_series_add_up_to_the_ledger_and_stand_in_the_report(self):
        self.traced("--trace", "series")
        series = json.loads((self.out / "series.json").read_text())
        results = json.loads((self.out / "results.json").read_text())
        curves = {curve["name"]: curve["values"] for curve in series["curves"] if curve["group"] == "goodput"}
        carried = sum(row["data_bytes"] for part in results["ledger"] if (part["link"], part["direction"]) == ("gpu0-sw0", "down")
                      for row in part["rows"] if row["purpose"] == "payload")
        drawn = sum(curves["gpu0-sw0 down"]) * series["step_ns"] / 8
        self.assertAlmostEqual(drawn / carried, 1, delta=0.001)
        self.assertIn('"series":{"from_ns"', (self.out / "report.html").read_text())
        self.assertEqual(json.loads((self.out / "run.json").read_text())["traces"][0]["file"], "series.json")

    def test_a_trace_changes_no_result(self):
        self.traced()
        plain = (self.out / "results.json").read_bytes()
        self.traced("--trace", "pcapng,series", "--trace-for", "1us")
        self.assertEqual((self.out / "results.json").read_bytes(), plain)

    def test_a_profile_names_every_device_that_acts(self):
        done = self.traced("--profile")
        for name in ("fabric, loop, sources of frames", "nic0", "cores at dram"):
            self.assertRegex(done.stderr, rf"{name} .*\d")

    def test_what_is_wrong_is_said(self):
        for words, said in ((("--trace", "pcapn"), "did you mean 'pcapng'?"),
                            (("--trace", "vcd", "--trace-links", "gpu0-sw1"), "--trace-links: no link is called 'gpu0-sw1'; did you mean 'gpu0-sw0'?"),
                            (("--trace", "vcd", "--trace-from", "3"), "\"3\" is not a time; write e.g. \"20us\""),
                            (("--trace", "vcd", "--trace-from", "1s"), "--trace-from is after the end of the run"),
                            (("--trace-for", "1us"), "--trace-for requires --trace")):
            done = self.run_short(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)
        self.assertEqual(list(pathlib.Path(self.folder.name).rglob("*.part")), [])


if __name__ == "__main__":
    unittest.main()
