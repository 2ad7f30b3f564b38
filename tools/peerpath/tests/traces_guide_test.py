#!/usr/bin/env python3
"""Runs the commands of docs/guides/traces.md for the model, and finds every file and option that the guide names.

usage: traces_guide_test.py PEERPATH SCENARIOS
"""

import re
import shutil
import unittest

from cli_case import peerpath
from guide_case import GUIDES, GuideCase, blocks


class TracesGuide(GuideCase):
    def test_the_command_writes_the_files_of_the_table(self):
        done = self.shell(blocks("traces.md")[0])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = re.findall(r"(?m)^\| `\w+` \| `(\S+)` \|", (GUIDES / "traces.md").read_text())
        self.assertEqual(len(files), 4)
        for name in files:
            self.assertGreater((self.root / "build" / "traced" / name).stat().st_size, 1000, name)

    def test_tshark_prints_the_reads_of_the_capture_and_their_completions(self):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        shutil.copytree(GUIDES.parent.parent / "tools" / "wireshark", self.root / "tools" / "wireshark")
        line = next(block for block in blocks("traces.md") if "lua_script" in block)
        done = self.shell(blocks("traces.md")[0] + line)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        reads = [row.split("\t") for row in done.stdout.splitlines() if "\t" in row]
        self.assertGreater(len(reads), 4)
        self.assertEqual({link for link, _, _ in reads}, {"nic0-sw0", "sw0-rc"})
        self.assertGreater(sum(completed != "" for _, _, completed in reads), len(reads) / 2, "the completion of a read is named")

    def test_a_network_is_captured(self):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        block = next(block for block in blocks("traces.md") if "roce/" in block)
        done = self.shell(block)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("RC Acknowledge", done.stdout, "tshark found acknowledgements")

    def test_its_options_are_there(self):
        known = peerpath("run", "--help").stdout
        text = re.sub(r"`protoc [^`]*`", "", (GUIDES / "traces.md").read_text())
        for option in set(re.findall(r"--[a-z][a-z-]+", text)):
            self.assertIn(option, known)


if __name__ == "__main__":
    unittest.main()
