#!/usr/bin/env python3
"""Tests of `peerpath run --what-if`: reruns prove what the sentence of one run names.

usage: what_if_test.py PEERPATH SCENARIOS [--all]
"""

import json
import pathlib
import sys
import unittest

EVERY = "--all" in sys.argv and not sys.argv.remove("--all")

from cli_case import SCENARIO, Case, peerpath  # noqa: E402: reads what is left of the command line

PLANTED = pathlib.Path(SCENARIO).parents[1] / "bottleneck"
# All of them take a minute: tools/dev/long/what_if.sh.
FEW = ("posted_header_endpoint", "non_posted_header_uplink", "completion_data_uplink", "tags", "iotlb", "nic_fifo", "arrival_rate")
SHORT = "--set", "run.measure=50us"


class WhatIf(Case):
    def run_json(self, scenario, *words):
        done = peerpath("run", str(scenario), "--json", "--out", str(self.out), *words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout), done

    def test_proof_and_sentence_agree(self):
        names = sorted(file.stem for file in PLANTED.glob("*.json")) if EVERY else FEW
        self.assertGreaterEqual(len(list(PLANTED.glob("*.json"))), 24)
        for name in names:
            with self.subTest(name):
                named, done = self.run_json(PLANTED / f"{name}.json")
                self.assertEqual(done.returncode, 0, done.stderr)
                proven, done = self.run_json(PLANTED / f"{name}.json", "--what-if")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(proven["limit"], named["limit"])
                self.check_proof(name, proven)

    def check_proof(self, name, proven):
        suspects = proven["what_if"]["suspects"]
        self.assertLessEqual(len(suspects), 10)
        gains = {s["name"]: max((f["goodput_percent"] for f in s["doubled"]["flows"]), default=0) for s in suspects}
        if name in ("deadlock", "blocked_egress"):
            return  # nothing that could be doubled
        limit = max((s for s in gains if proven["limit"].startswith(s)), key=len)
        if name == "arrival_rate":
            self.assertGreater(gains[limit], 10)
        else:
            others = [gain for s, gain in gains.items() if s not in (limit, "the arrival rate")]
            self.assertGreater(gains[limit], 10)
            self.assertGreaterEqual(gains[limit] * 1.12, max(others), gains)
            self.assertIn("; doubled, it gives ", proven["bottleneck"])

    def test_a_wrong_sentence_is_put_right(self):
        # Credits for half a round trip of a link that looks nearly full: what the proof names stands in the sentence.
        proven, _ = self.run_json(PLANTED / "posted_header_endpoint.json", "--what-if")
        row = next(s for s in proven["what_if"]["suspects"] if s["name"].startswith("posted header credits"))
        self.assertEqual(row["keys"], "links.card0.credits.posted_header")
        self.assertGreater(row["doubled"]["flows"][0]["goodput_percent"], 80)
        self.assertLess(row["halved"]["flows"][0]["goodput_percent"], -40)

    def test_assumptions_have_source_and_weight(self):
        proven, _ = self.run_json(PLANTED / "nic_fifo.json", "--what-if", *SHORT, "--set", "expect=[]")
        assumed = {row["name"]: row for row in proven["what_if"]["assumptions"]}
        self.assertIn("nic.pipeline_latency", assumed)
        for row in assumed.values():
            self.assertTrue(row["source"].startswith("assumed"), row)
            self.assertGreaterEqual(row["weight_percent"], 1)
        weights = [row["weight_percent"] for row in proven["what_if"]["assumptions"]]
        self.assertEqual(weights, sorted(weights, reverse=True))

    def test_table_and_report_show_it(self):
        done = peerpath("run", str(PLANTED / "tags.json"), "--what-if", "--out", str(self.out), "--set", "run.measure=30us")
        self.assertIn("\nWhat if\n", done.stdout)
        self.assertRegex(done.stdout, r"\n  card0 tags +dma \+[0-9.]+ %, p99 -[0-9.]+ %")
        page = (self.out / "report.html").read_text()
        self.assertIn("What if", page)
        self.assertIn("card0 tags", page)

    def test_the_number_of_jobs_changes_nothing(self):
        words = "--what-if", "--set", "run.measure=30us", "--set", "expect=[]"
        one, _ = self.run_json(PLANTED / "tags.json", *words, "--jobs", "1")
        three, _ = self.run_json(PLANTED / "tags.json", *words, "--jobs", "3")
        self.assertEqual(one, three)


if __name__ == "__main__":
    unittest.main()
