#!/usr/bin/env python3
"""Runs every command of docs/guides/sweep.md, in order.

usage: sweep_guide_test.py PEERPATH SCENARIOS
"""

import csv
import re
import unittest

from guide_case import GUIDES, GuideCase, blocks


class SweepGuide(GuideCase):
    def test_commands_run(self):
        output = ""
        for block in blocks("sweep.md"):
            done = self.shell(block)
            self.assertEqual(done.returncode, 0, block + done.stdout + done.stderr)
            output += done.stdout
        self.assertEqual(len(re.findall(r"(?m)^(128|256) [0-9.]+$", output)), 4, output)
        for name, rows in (("mps.csv", 4), ("whole.csv", 8)):
            self.assertEqual(len(list(csv.DictReader((self.root / name).read_text().splitlines()))), rows)

    def test_the_scenario_of_the_guide_is_one(self):
        (self.root / "mine.json").write_text(blocks("sweep.md", "json")[0])
        done = self.shell("peerpath sweep mine.json --set run.measure=20us")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("peerpath-out/mine.sqlite: 8 of 8 points", done.stderr)

    def test_every_form_of_the_table_is_one(self):
        forms = re.findall(r"(?m)^\| `(\S+=\S+)` \|", (GUIDES / "sweep.md").read_text())
        self.assertEqual(len(forms), 6)
        for number, form in enumerate(forms):
            done = self.shell(f"peerpath sweep netgpu/zero_copy --set run.measure=20us --vary '{form}' --out {number}.sqlite")
            self.assertEqual(done.returncode, 0, form + done.stderr)


if __name__ == "__main__":
    unittest.main()
