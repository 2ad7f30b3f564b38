#!/usr/bin/env python3
"""Does what docs/first-run.md says, from an empty folder on.

usage: first_run_test.py PEERPATH SCENARIOS
"""

import json
import re
import sqlite3
import unittest

from guide_case import GuideCase, blocks

GUIDE = "../first-run.md"


class FirstRun(GuideCase):
    def test_the_way_to_a_named_bottleneck_a_sweep_and_a_picture(self):
        (self.root / "rails.json").write_text(blocks(GUIDE, "json")[0])
        said = {}
        for block in blocks(GUIDE):
            done = self.shell(block)
            self.assertEqual(done.returncode, 0, block + done.stdout + done.stderr)
            said[block.split(" --out ")[-1].strip()] = done.stdout
        wanted = blocks(GUIDE, "text")[0].strip().split("\n")[1]
        self.assertIn(wanted, said["first"])
        self.assertIn("link sw0-rc up, busy 100 % of the time; it holds back rx3\n", said["built"])
        self.assertRegex(said["proof"], r"it holds back rx3; doubled, it gives rx3 \d+(\.\d)? % more")
        goodput = {name: self.metric(name, "rx3.goodput_gbps") for name in ("built", "moved")}
        self.assertLess(goodput["built"], 110)
        self.assertGreater(goodput["moved"], 195)
        points = sqlite3.connect(self.root / "place.sqlite").execute("SELECT count(*) FROM points WHERE status = 'ok'")
        self.assertEqual(points.fetchone()[0], 6)
        for page in ("review.html", "place.html"):
            self.assertIn("<svg" if page == "review.html" else "What matters", (self.root / page).read_text())
        self.assertIn('"sw1" -- "gpu3"', (self.root / "rails.dot").read_text())
        read = [entry["file"] for entry in json.loads((self.root / "built" / "run.json").read_text())["inputs"]]
        self.assertTrue(any(re.search(r"/h200\.json$", file) for file in read), read)

    def metric(self, run, name):
        metrics = json.loads((self.root / run / "results.json").read_text())["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == name)


if __name__ == "__main__":
    unittest.main()
