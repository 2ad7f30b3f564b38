#!/usr/bin/env python3
"""A capture that `tcp_capture` writes, as tshark and scapy decode it.

usage: capture_test.py TCP_CAPTURE
"""

import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


class Capture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.folder.name + "/tcp.pcap"
        subprocess.run([PROGRAM, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tshark(self, *more):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
        return subprocess.run(["tshark", "-r", self.path, *checks, *more], check=True, capture_output=True,
                              text=True).stdout.splitlines()

    def test_tshark_finds_nothing_malformed_and_every_checksum_right(self):
        frames = len(self.tshark())
        self.assertGreater(frames, 300)
        self.assertEqual(self.tshark("-Y", '_ws.malformed || _ws.expert.severity == "Error"'), [])
        self.assertEqual(len(self.tshark("-Y", "tcp.checksum.status == 1 && ip.checksum.status == 1")), frames)

    def test_tshark_sees_what_happened(self):
        for what in ("tcp.analysis.retransmission || tcp.analysis.fast_retransmission", "tcp.analysis.duplicate_ack",
                     "tcp.options.sack_le", "tcp.flags.cwr == 1 && tcp.len > 0", "tcp.flags.ece == 1 && tcp.flags.syn == 0",
                     "tcp.options.mss_val == 1460 && tcp.options.wscale.shift == 1", "tcp.options.timestamp.tsval",
                     "tcp.analysis.window_full"):
            self.assertNotEqual(self.tshark("-Y", what), [], what)
        self.assertEqual(len(self.tshark("-Y", "tcp.flags.syn == 1 && tcp.flags.ack == 1")), 3)
        self.assertEqual(self.tshark("-Y", "tcp.analysis.ack_lost_segment"), [])

    def test_scapy_computes_the_same_checksums(self):
        try:
            from scapy.layers.inet import IP, TCP
            from scapy.utils import rdpcap
        except ImportError:
            self.skipTest("needs python3-scapy")
        for number, packet in enumerate(rdpcap(self.path), 1):
            anew = packet.copy()
            del anew[IP].chksum, anew[TCP].chksum
            self.assertEqual(bytes(anew), bytes(packet), f"frame {number}")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
