#!/usr/bin/env python3
"""A capture that `roce_capture` writes, as tshark and scapy's contrib roce decode it.

usage: capture_test.py ROCE_CAPTURE
"""

import collections
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
RC = ["SEND_FIRST", "SEND_MIDDLE", "SEND_LAST", "", "SEND_ONLY", "", "WRITE_FIRST", "WRITE_MIDDLE", "WRITE_LAST",
      "WRITE_LAST_IMM", "WRITE_ONLY", "WRITE_ONLY_IMM", "READ_REQUEST", "READ_FIRST", "READ_MIDDLE", "READ_LAST", "READ_ONLY",
      "ACK", "ATOMIC_ACK", "COMPARE_SWAP", "FETCH_ADD"]


class Capture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.folder.name + "/roce.pcap"
        subprocess.run([PROGRAM, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_tshark_finds_every_opcode_and_nothing_malformed(self):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        def fields(*more):
            return subprocess.run(["tshark", "-r", self.path, *more], check=True, capture_output=True,
                                  text=True).stdout.splitlines()
        self.assertEqual(fields("-Y", "_ws.malformed"), [])
        rows = [line.split("\t") for line in fields("-T", "fields", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.psn",
                                                    "-e", "infiniband.reth.dmalen", "-e", "infiniband.aeth.syndrome")]
        opcodes = collections.Counter(int(row[0], 0) for row in rows)
        self.assertEqual({o for o in range(21) if RC[o]}, {o for o in opcodes if o < 21})
        self.assertEqual(opcodes[0x64], 2)
        self.assertEqual(opcodes[0x81], 1)
        self.assertIn("701", {row[2] for row in rows})
        syndromes = {int(row[3], 0) for row in rows if row[3]}
        self.assertIn(0x60, syndromes, "the lost packet's NAK")

    def test_tshark_reads_the_key_and_the_source_of_datagrams(self):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        fields = [argument for name in ("bth.destqp", "bth.psn", "deth.q_key", "deth.srcqp") for argument in ("-e", "infiniband." + name)]
        rows = subprocess.run(["tshark", "-r", self.path, "-Y", "infiniband.bth.opcode == 0x64", "-T", "fields", *fields],
                              check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual([int(value, 0) for value in rows], [0x21, 0, 0x11111111, 0x22, 0x23, 1, 0x80010000, 0x22])

    def test_scapy_computes_the_same_icrc_over_every_frame(self):
        try:
            from scapy.contrib.roce import BTH
            from scapy.utils import rdpcap
        except ImportError:
            self.skipTest("needs python3-scapy")
        packets = rdpcap(self.path)
        self.assertGreater(len(packets), 30)
        for number, packet in enumerate(packets, 1):
            self.assertIn(BTH, packet, f"frame {number}")
            anew = packet.copy()
            anew[BTH].icrc = None  # scapy fills it in
            self.assertEqual(bytes(anew)[-4:], bytes(packet)[-4:], f"frame {number}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
