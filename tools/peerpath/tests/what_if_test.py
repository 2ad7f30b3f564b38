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

    def test_rows_are_in_the_order_of_what_they_give(self):
        for name in ("tags", "nic_fifo"):
            proven, _ = self.run_json(PLANTED / f"{name}.json", "--what-if", *SHORT, "--set", "expect=[]")
            rows = proven["what_if"]["suspects"]
            self.assertEqual(rows[-1]["name"], "the arrival rate")
            gains = [max((f["goodput_percent"] for f in row["doubled"]["flows"] if abs(f["goodput_percent"]) > f["half_width"]),
                         default=0) for row in rows[:-1]]
            self.assertGreater(gains[0], 10)
            self.assertEqual([max(gain, 0) for gain in gains], sorted((max(gain, 0) for gain in gains), reverse=True))

    def test_expectations_are_about_the_sentence_without_proofs(self):
        proven, done = self.run_json(PLANTED / "three_links.json", "--what-if")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(proven["bottleneck"].count("doubled, it gives"), 3)

    def test_a_doubled_fifo_that_fills_does_not_raise_goodput(self):
        # nic1 and its GPU are at different switches: its frames share the way up with the buffers of nic0. A larger FIFO
        # takes in more frames, and delivers none of them earlier.
        rows, plain = {}, {}
        self.make_crossed({})
        proven, _ = self.run_json(self.crossed, "--what-if")
        for row in proven["what_if"]["suspects"]:
            rows[row["name"]] = {f["traffic"]: f for f in row["doubled"]["flows"]}
        for name, keys in (("nic1 receive FIFO", {"devices": {"nic1": {"rx_fifo": "128KiB"}}}), ("link sw0-rc", {"width": 8})):
            base = self.goodput({})
            plain[name] = {flow: 100 * (rate / base[flow] - 1) for flow, rate in self.goodput(keys).items()}
        for name, flows in plain.items():
            with self.subTest(name):
                row = next(rows[r] for r in rows if r.startswith(name))
                for flow, change in flows.items():
                    self.assertAlmostEqual(row[flow]["goodput_percent"], change, delta=row[flow]["half_width"] + 0.2)
        self.assertAlmostEqual(plain["nic1 receive FIFO"]["rx1"], 0, delta=1)
        self.assertGreater(plain["link sw0-rc"]["rx1"], 10)

    def make_crossed(self, keys):
        wide = {"generation": 5, "width": 16}
        links = [{"from": "rc", "to": "sw0", "generation": 4, "width": keys.get("width", 4)},
                 {"from": "rc", "to": "sw1", **wide}]
        links += [{"from": switch, "to": name, **wide}
                  for switch, name in (("sw0", "nic0"), ("sw0", "gpu0"), ("sw0", "nic1"), ("sw1", "gpu1"))]
        devices = {name: {"kind": kind} for name, kind in (
            ("rc", "root_complex"), ("sw0", "pcie_switch"), ("sw1", "pcie_switch"), ("gpu0", "gpu"), ("gpu1", "gpu"),
            ("nic0", "nic"))}
        devices |= {"dram": {"kind": "host_memory", "at": "rc"}, "cpu": {"kind": "host_cpu", "at": "rc"}}
        devices["nic1"] = {"kind": "nic", **keys.get("devices", {}).get("nic1", {"rx_fifo": "64KiB"})}
        traffic = [{"name": f"rx{i}", "kind": "receive", "from": f"nic{i}", "to": f"gpu{i}", "rate": "100Gbps", "sizes": "4KiB",
                    "flows": 16} for i in range(2)]
        self.crossed = self.scenario(json.dumps({"devices": devices, "links": links, "traffic": traffic,
                                                 "run": {"warmup": "200us", "measure": "500us"}}))

    def goodput(self, keys):
        self.make_crossed(keys)
        run, _ = self.run_json(self.crossed)
        return {m["name"].split(".")[0]: m["value"] for m in run["metrics"] if m["name"].endswith(".goodput_gbps")}

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
