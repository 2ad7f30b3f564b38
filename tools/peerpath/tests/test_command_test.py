#!/usr/bin/env python3
"""Tests of `peerpath test`: what it tells apart, and in which forms it says so.

usage: test_command_test.py PEERPATH SCENARIOS
"""

import json
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree as xml

from cli_case import SCENARIO, Case, peerpath

SCENARIOS = pathlib.Path(SCENARIO).parent.parent


class TestCommand(Case):
    def setUp(self):
        super().setUp()
        self.root = pathlib.Path(self.folder.name)

    def variant(self, name, **keys):
        """A short run of zero_copy with other keys."""
        keys = {"run": {"measure": "20us"}, "expect": [], **keys}
        file = self.root / (name + ".json")
        file.write_text(json.dumps({"extends": SCENARIO, **keys}, indent=1))
        return file

    def results(self, *words):
        """The exit status, and element and type by name of each test."""
        out = self.root / "out.xml"
        done = peerpath("test", *map(str, words), "--junit", str(out))
        suite = xml.parse(out).getroot().find("testsuite")
        cases = {case.get("name"): ([(part.tag, part.get("type")) for part in case] or [("passed", None)])[0] for case in suite}
        for tag, total in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            self.assertEqual(int(suite.get(total)), sum(found == tag for found, _ in cases.values()))
        self.assertEqual(int(suite.get("tests")), len(cases))
        return done, cases

    def test_shipped_scenarios_pass(self):
        # Each of all is a test of its own (scenario.*).
        done = peerpath("test", *(str(SCENARIOS / folder) for folder in ("hardware", "netgpu", "p2p", "roce", "tcp")))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\n[0-9]{2,} passed, 0 failed, [0-9]+ skipped\n$")
        self.assertIn("SKIP  " + str(SCENARIOS / "hardware" / "h200.json"), done.stdout)

    def test_what_is_broken_is_told_apart(self):
        self.variant("good")
        self.variant("broken", expect=[{"metric": "rx.goodput_gbps", "at_least": 300}])
        self.variant("part", traffic=[])
        (self.root / "wrong.json").write_text('{"devices": {}, "lnks": []}')
        done, cases = self.results(self.root)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(cases, {"good": ("passed", None), "broken": ("failure", "expectation"), "part": ("skipped", None),
                                 "wrong": ("error", "scenario")})
        self.assertRegex(done.stdout, r"broken.json:[0-9]+:[0-9]+: /expect/0/metric: rx.goodput_gbps is [0-9.]+ Gb/s, expected >= 300")
        self.assertIn("did you mean", done.stdout)
        self.assertTrue(done.stdout.endswith("1 passed, 2 failed, 1 skipped\n"), done.stdout)
        self.assertEqual(self.results(self.root / "broken.json")[0].returncode, 1)

    def test_a_drift_has_a_status_of_its_own_and_is_accepted(self):
        baseline = self.root / "baseline.json"
        file = self.variant("a")
        missing = peerpath("test", str(file), "--baseline", str(baseline))
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--accept creates it", missing.stderr)
        self.assertEqual(peerpath("test", str(file), "--baseline", str(baseline), "--accept").returncode, 0)
        self.assertEqual(self.results(file, "--baseline", baseline)[0].returncode, 0)
        document = json.loads(baseline.read_text())
        self.assertGreater(document["scenarios"]["a.json"]["rx.goodput_gbps"], 190)
        document["scenarios"]["a.json"]["rx.goodput_gbps"] *= 1.01
        baseline.write_text(json.dumps(document))
        done, cases = self.results(file, "--baseline", baseline)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertEqual(cases, {"a": ("failure", "drift")})
        self.assertRegex(done.stdout, r"rx.goodput_gbps is [0-9.]+, was [0-9.]+ \(-0.99 %\); tolerance 0 %")
        document["tolerances"]["*.goodput_gbps"] = 2
        baseline.write_text(json.dumps(document))
        self.assertEqual(self.results(file, "--baseline", baseline)[0].returncode, 0, "within the tolerance")
        # What is new has to be accepted, and --accept keeps what people wrote.
        new = self.variant("b")
        done, _ = self.results(file, new, "--baseline", baseline)
        self.assertEqual(done.returncode, 4)
        self.assertIn("is not in the baseline; --accept adds it", done.stdout)
        self.assertEqual(self.results(new, "--baseline", baseline, "--accept")[0].returncode, 0)
        document = json.loads(baseline.read_text())
        self.assertEqual(sorted(document["scenarios"]), ["a.json", "b.json"])
        self.assertEqual(document["tolerances"]["*.goodput_gbps"], 2)

    def test_what_has_not_settled_gets_no_verdict(self):
        baseline = self.root / "baseline.json"
        links = [{"from": above, "to": below, "width": width} for above, below, width in (("rc", "sw0", 16), ("sw0", "nic0", 4), ("sw0", "gpu0", 16))]
        moving = self.variant("moving", run={"warmup": "0us", "measure": "60us"}, links=links, devices={"nic0": {"rx_fifo": "8MiB"}})
        done = peerpath("test", str(moving), "--baseline", str(baseline), "--accept")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"moving.json: rx\.\w+ has not settled and is not kept")
        kept = json.loads(baseline.read_text())
        self.assertNotIn("rx.dropped_packets", kept["scenarios"]["moving.json"])
        kept["scenarios"]["moving.json"]["rx.latency_p50_ns"] = 1
        kept["tolerances"] = {"*": 1000}
        baseline.write_text(json.dumps(kept))
        done = peerpath("test", str(moving), "--baseline", str(baseline))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("rx.latency_p50_ns has not settled: no verdict", done.stdout)

    def test_wrong_baselines_are_named(self):
        file, baseline = str(self.variant("a")), self.root / "baseline.json"
        for text, wanted in (("{", "baseline.json:1:2: is not valid JSON"), ("[]", "is not a JSON object"), ('{"metrix": []}', 'did you mean "metrics"?'),
                             ('{"tolerances": {"*": -1}}', "is not a percentage"), ('{"scenarios": {"a": {"b": "c"}}}', "/scenarios/a/b"),
                             ('{"metrics": [1]}', "is not a list of patterns")):
            baseline.write_text(text)
            done = peerpath("test", file, "--baseline", str(baseline))
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(done.stdout, "", "nothing is run")
            self.assertEqual(baseline.read_text(), text)

    def test_wrong_words_are_named(self):
        for words, wanted in ((("netgpu/zero_cpy",), 'did you mean "netgpu/zero_copy"?'), ((str(self.root),), "has no .json file"),
                              ((SCENARIO, "--jobs", "0"), "--jobs takes a whole number"), ((SCENARIO, "--accept"), "--baseline FILE"),
                              ((SCENARIO, "--annotate", "githup"), "did you mean 'github'?"), ((SCENARIO, "--junitt", "x"), "--junit")):
            done = peerpath("test", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(wanted, done.stderr)
        nothing = peerpath("test", str(SCENARIOS / "hardware"))
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("nothing was tested", nothing.stderr)

    def test_github_gets_places(self):
        file = self.variant("broken", expect=[{"metric": "rx.goodput_gbps", "at_least": 300}])
        for words, env in ((("--annotate", "github"), None), ((), {**os.environ, "GITHUB_ACTIONS": "true"})):
            done = peerpath("test", str(file), *words, env=env)
            line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if '"metric"' in text)
            self.assertRegex(done.stdout, rf"(?m)^::error file={re.escape(str(file))},line={line},title=peerpath FAIL::rx.goodput_gbps is ")
        self.assertNotIn("::error", peerpath("test", str(file), "--annotate", "none", env={**os.environ, "GITHUB_ACTIONS": "true"}).stdout)

    def test_jobs_do_not_change_the_results(self):
        for name in "abcd":
            self.variant(name)
        texts = [re.sub(r"\([0-9.]+ s\)", "", peerpath("test", str(self.root), "--jobs", jobs).stdout) for jobs in ("1", "3")]
        self.assertEqual(*texts)


if __name__ == "__main__":
    unittest.main()
