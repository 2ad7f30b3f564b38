#!/usr/bin/env python3
"""tshark reads what `peerpath run --trace pcapng` writes, with our dissector, and counts what the ledger has counted.

usage: wireshark_test.py PEERPATH SCENARIOS
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCENARIOS = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
SCRIPT = pathlib.Path(__file__).parent / "peerpath_tlp.lua"
# As root, Wireshark loads no scripts.
USER = {"user": "nobody"} if os.geteuid() == 0 else {}


class Capture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        out = pathlib.Path(cls.folder.name)
        done = subprocess.run([PROGRAM, "run", SCENARIOS + "/netgpu/zero_copy.json", "--out", str(out),
                               "--set", "run.warmup=0ns", "--set", "run.measure=12us", "--set", "expect=null",
                               "--trace", "pcapng"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.results = json.loads((out / "results.json").read_text())
        cls.file = out / "trace.pcapng"
        shutil.copy(SCRIPT, out)
        os.chmod(out, 0o755)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tshark(self, filter_, *fields):
        words = ["tshark", "-2", "-X", f"lua_script:{self.folder.name}/{SCRIPT.name}", "-r", str(self.file), "-Y", filter_,
                 "-T", "fields", *(word for field in fields for word in ("-e", field))]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "HOME": self.folder.name}, **USER)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def test_every_link_has_the_tlps_and_the_payload_that_the_ledger_has(self):
        packets = self.tshark("tlp", "frame.interface_name", "tlp.direction", "tlp.purpose", "tlp.data_bytes")
        found = {}
        for link, way, purpose, size in packets:
            row = found.setdefault((link, way, purpose.replace(" ", "_")), [0, 0])
            row[0] += 1
            row[1] += int(size or 0)
        wanted = {}
        for part in self.results["ledger"]:
            for row in part["rows"] if part["shape"] != "internal" else []:
                total = wanted.setdefault((part["link"], part["direction"], row["purpose"]), [0, 0])
                total[0] += row["tlps"]
                total[1] += row["data_bytes"]
        self.assertGreaterEqual(len(wanted), 6)
        self.assertEqual(found, wanted)

    def test_requests_are_linked_with_their_completions(self):
        requests = self.tshark('tlp.type == "MRd" && frame.interface_name == "nic0-sw0"', "frame.number", "tlp.completed_in",
                               "tlp.requester", "tlp.tag", "tlp.transaction")
        answers = {number: rest for number, *rest in self.tshark(
            'tlp.type == "CplD" && frame.interface_name == "nic0-sw0"', "frame.number", "tlp.request_in", "tlp.requester",
            "tlp.tag", "tlp.transaction", "tlp.time_ns")}
        linked = [request for request in requests if request[1]]
        self.assertGreater(len(linked), len(requests) * 0.8)  # those at the end are not answered yet
        for number, answer, *who in linked:
            self.assertEqual(answers[answer][0], number)
            self.assertEqual(answers[answer][1:4], who)
            self.assertGreater(float(answers[answer][4]), 100)

    def test_fields_filter(self):
        addresses = self.tshark('tlp.type == "MWr" && tlp.purpose == "payload" && tlp.direction == "down"', "tlp.address",
                                "tlp.length")
        self.assertTrue(addresses)
        self.assertTrue(all(int(address, 16) > 1 << 32 for address, _ in addresses))  # a prefetchable BAR
        self.assertEqual(self.tshark("tlp.status > 0", "frame.number"), [])

    def test_frames_are_there_and_nothing_is_malformed(self):
        frames = self.tshark("tcp", "frame.interface_name", "frame.len")
        self.assertTrue(frames)
        self.assertEqual({name for name, _ in frames}, {"nic0 port 0"})
        self.assertEqual(self.tshark("_ws.malformed && tlp", "frame.number"), [])
        times = [float(time) for time, in self.tshark("frame", "frame.time_epoch")]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1], 12e-6)


if __name__ == "__main__":
    if shutil.which("tshark") is None:
        print("waived: no tshark")
        sys.exit(77)
    unittest.main()
