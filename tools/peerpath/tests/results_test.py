#!/usr/bin/env python3
"""What results say of themselves: windows that are found, intervals, metrics explained, two runs compared.

usage: results_test.py PEERPATH SCENARIOS
"""

import json
import unittest

from cli_case import SCENARIO, Case, peerpath

OTHERS = ("netgpu/bounce_both_ways", "p2p_storage/one_to_gpu", "traps/iotlb_wall")


class Results(Case):
    def run_to(self, name, *words, scenario=SCENARIO):
        done = peerpath("run", scenario, "--out", str(self.out / name), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def metrics(self, name):
        document = json.loads((self.out / name / "results.json").read_text())
        return {metric["name"]: metric for metric in document["metrics"]}

    def test_explain_knows_every_metric_that_a_run_prints(self):
        names = set()
        for scenario in (SCENARIO, *OTHERS):
            done = peerpath("run", scenario, "--json", "--set", "run.warmup=0ns", "--set", "run.measure=20us",
                            "--set", "expect=[]")
            names |= {metric["name"] for metric in json.loads(done.stdout)["metrics"]}
        by_end = {".".join(name.split(".")[-2:]) if name.split(".")[-2] in ("up", "down") else name.split(".")[-1]: name
                  for name in names}
        self.assertGreater(len(by_end), 80)
        for name in by_end.values():
            done = peerpath("explain", name)
            self.assertEqual(done.returncode, 0, name + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^\S.*\.\S+: ", name)

    def test_explain_has_definition_events_and_unit(self):
        done = peerpath("explain", "rx.latency_p50_ns")
        self.assertRegex(done.stdout, r"^<traffic>\.latency_p50_ns: ns\n")
        self.assertRegex(done.stdout, r"(?m)^    from: receive: the last bit")
        self.assertRegex(done.stdout, r"(?m)^    until: receive: the application")
        self.assertIn("did you mean 'rx.goodput_gbps'?", peerpath("explain", "rx.godput_gbps").stderr)

    def test_a_window_that_is_found_says_so_and_has_intervals(self):
        open_run = {"extends": SCENARIO, "run": {"warmup": None, "measure": None}}
        table = self.run_to("found", scenario=self.scenario(json.dumps(open_run)))
        self.assertRegex(table, r"(?m)^\S+ [mu]s measured after \S+ [mu]s of warm-up \(found\), seed 1$")
        self.assertRegex(table, r"(?m)^  rx +\S+ +195\.\d+ \+-0\.\d\d %")
        metrics = self.metrics("found")
        self.assertLessEqual(metrics["rx.goodput_gbps"]["half_width"], 1.957)

    def test_compare_says_what_got_worse(self):
        self.run_to("a")
        self.run_to("b", "--set", "traffic.rx.rate=150Gbps", "--set", "expect=[]")
        a, b = str(self.out / "a"), str(self.out / "b")
        done = peerpath("compare", a, b)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^rx\.goodput_gbps +Gb/s +195\.\S+ .* -25\.\d+ % +worse$")
        self.assertIn("bottleneck of ", done.stdout)
        self.assertNotIn("worse", peerpath("compare", a, a).stdout)
        for rule, status in (("rx.goodput_gbps drops 1%", 1), ("rx.goodput_gbps drops 30%", 0),
                             ("rx.goodput_gbps rises 1%", 0), ("rx.godput_gbps drops 1%", 2), ("nonsense", 2)):
            self.assertEqual(peerpath("compare", a, b, "--fail-if", rule).returncode, status, rule)
        document = json.loads(peerpath("compare", a, b, "--json", "--fail-if", "rx.goodput_gbps drops 1%").stdout)
        self.assertEqual(document["broken"], ["rx.goodput_gbps drops 1%"])
        verdicts = {line["metric"]: line["verdict"] for line in document["lines"]}
        self.assertEqual(verdicts["rx.goodput_gbps"], "worse")


if __name__ == "__main__":
    unittest.main()
