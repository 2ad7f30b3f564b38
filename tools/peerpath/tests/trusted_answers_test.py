#!/usr/bin/env python3
"""Answers that once misled whoever believed them, each held to what does not depend on the model: arithmetic, or what other
counters of the same run say. Keys are only those that a program of any age knows, so that an older
one can be asked the same (`python3 -B trusted_answers_test.py PEERPATH SCENARIOS`).

usage: trusted_answers_test.py PEERPATH SCENARIOS
"""

import json
import pathlib
import unittest

from cli_case import SCENARIO, Case, peerpath

SCENARIOS = pathlib.Path(SCENARIO).parents[1]

SWITCH = {
    "rc": {"kind": "root_complex"}, "dram": {"kind": "host_memory", "at": "rc"}, "cpu": {"kind": "host_cpu", "at": "rc"},
    "sw0": {"kind": "pcie_switch"}, "gpu0": {"kind": "gpu"}, "nic0": {"kind": "nic"}, "card0": {"kind": "dma_card"}}
LINKS = [{"from": "rc", "to": "sw0", "generation": 5, "width": 16}] + [
    {"from": "sw0", "to": name, "generation": 5, "width": 16} for name in ("gpu0", "nic0", "card0")]


def mps(size):
    function = {"function": {"max_payload": size, "max_payload_supported": size}}
    return {"card0": function, "gpu0": function, "nic0": function, "sw0": {"max_payload_supported": size},
            "rc": {"max_payload_supported": size}}


def rate_of(results, entry):
    return results[f"{entry}.goodput_gbps"]


class TrustedAnswers(Case):
    def play(self, scenario, *words):
        """Metrics by name, and the document."""
        done = peerpath("run", self.scenario(json.dumps(scenario)), "--json", "--out", str(self.out), *words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        return {m["name"]: m["value"] for m in document["metrics"]}, document

    def play_below_a_switch(self, traffic, *words, devices=None, run=None):
        made = {name: {**options, **(devices or {}).get(name, {})} for name, options in SWITCH.items()}
        return self.play({"devices": made, "links": LINKS, "traffic": traffic,
                          "run": run or {"warmup": "20us", "measure": "200us"}}, *words)

    def long_writes(self, size, **keys):
        entry = {"name": "t", "kind": "write", "from": "card0", "to": "gpu0", "rate": "200Gbps", "sizes": "1MiB", **keys}
        return self.play_below_a_switch([entry], devices=mps(size))[0]

    def test_goodput_is_never_more_than_was_offered_or_carried(self):
        for size in ("128B", "256B"):
            with self.subTest(size):
                metrics = self.long_writes(size)
                carried = metrics["gpu0-sw0.down.payload_gbps"]
                self.assertAlmostEqual(rate_of(metrics, "t"), carried, delta=0.1)

    def test_offered_counts_the_arrivals(self):
        # In 200 us 4.8 arrivals of 1 MiB are expected; no count of whole ones is the rate times the time.
        metrics = self.long_writes("256B", arrival="poisson")
        arrivals = metrics["t.offered_gbps"] * 200e3 / 8 / 2**20
        self.assertAlmostEqual(arrivals, round(arrivals), delta=1e-3)

    def test_credits_that_hold_back_are_named(self):
        entry = {"name": "t", "kind": "write", "from": "card0", "to": "gpu0", "rate": "100Gbps", "sizes": "4KiB"}
        _, document = self.play_below_a_switch([entry], "--set", "links.card0.credits.posted_header=4")
        self.assertRegex(document["bottleneck"], r"^posted header credits of link card0-sw0 up\b")

    def test_a_leak_of_credits_is_named_and_no_core(self):
        done = peerpath("run", str(SCENARIOS / "traps" / "credit_leak.json"), "--json", "--out", str(self.out))
        self.assertRegex(json.loads(done.stdout)["bottleneck"], r"^posted header credits of link gpu0-sw0 down\b")

    def test_nothing_that_is_full_is_called_unsaturated(self):
        for name in ("gen3_retrain", "link_flap"):
            done = peerpath("run", str(SCENARIOS / "traps" / f"{name}.json"), "--out", str(self.out))
            with self.subTest(name):
                self.assertRegex(done.stdout, r"Ethernet receive +100\.0 %")
                self.assertNotIn("saturated", done.stdout)

    def test_a_peer_rate_without_bound_is_warned_of(self):
        links = [{"from": "rc", "to": name, "generation": 5, "width": 16} for name in ("card0", "gpu0")]
        devices = {name: options for name, options in SWITCH.items() if name not in ("sw0", "nic0")}
        entry = {"name": "t", "kind": "write", "from": "card0", "to": "gpu0", "rate": "400Gbps", "sizes": "4KiB"}
        file = self.scenario(json.dumps({"devices": devices, "links": links, "traffic": [entry],
                                         "run": {"warmup": "20us", "measure": "200us"}}))
        done = peerpath("run", file, "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?i)rc.*peer_to_peer|peer_to_peer.*rc")

    def test_crossings_are_of_one_entry(self):
        rx = {"name": "t", "kind": "receive", "from": "nic0", "to": "gpu0", "headers_to": "dram", "path": "zero_copy",
              "rate": "100Gbps", "sizes": "4KiB"}
        copy = {"name": "copy", "kind": "write", "from": "card0", "to": "dram", "rate": "50Gbps", "sizes": "4KiB"}
        metrics, _ = self.play_below_a_switch([rx, copy])
        self.assertGreater(metrics["sw0-rc.payload_crossings"], 0.2)
        self.assertEqual(metrics.get("t.sw0-rc.payload_crossings"), 0)

    def test_latency_is_explained_and_its_stages_sum_to_it(self):
        done = peerpath("explain", "rx.latency_p50_ns")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("ns", "from:", "until:", "moderation"):
            self.assertIn(word, done.stdout)
        done = peerpath("run", SCENARIO, "--json", "--out", str(self.out))
        entry = json.loads(done.stdout)["traffic"][0]
        stages = {stage["name"]: stage["sum_fs"] / stage["count"] for stage in entry["stages"]}
        buckets = {int(edge): count for edge, count in entry["latency_fs"].items()}
        mean = sum(edge * count for edge, count in buckets.items()) / sum(buckets.values())
        self.assertAlmostEqual(sum(stages.values()) / mean, 1, delta=0.05)  # edges are 3 % apart; one in some is timed
        self.assertGreater(stages["moderation"], 0.4 * mean)  # half of it is no time of the fabric

    def test_rates_whose_times_cannot_be_counted_are_refused(self):
        for rate in ("1bps", "3bps", "5bps", "7bps"):
            done = peerpath("run", str(SCENARIOS / "netgpu" / "bounce.json"), "--set", f"devices.cpu.copy_rate={rate}",
                            "--set", "expect=[]", "--json", "--out", str(self.out))
            with self.subTest(rate):
                self.assertEqual(done.returncode, 2)
                self.assertIn("copy_rate", done.stderr)

    def test_shares_of_time_are_shares(self):
        # The memory takes a TLP in 2.05 ms: a wait for its credits is longer than the window in which it ends.
        entry = {"name": "t", "kind": "write", "from": "card0", "to": "gpu0", "rate": "100Gbps", "sizes": "4KiB"}
        stalls = []
        for warmup in ("3ms", "4ms", "5ms"):
            metrics, _ = self.play_below_a_switch([entry], devices={"gpu0": {"write_rate": "1Mbps"}},
                                                  run={"warmup": warmup, "measure": "1ms"})
            stalls.append(metrics["gpu0-sw0.down.credit_stall_percent"])
        self.assertLessEqual(max(stalls), 100)
        self.assertGreater(min(stalls), 99)


if __name__ == "__main__":
    unittest.main()
