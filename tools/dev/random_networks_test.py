#!/usr/bin/env python3
"""Each invariant of networks finds a results file in which one figure was changed, and nothing in the file as it was.

usage: random_networks_test.py PEERPATH
"""

import copy
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "random_networks"), str(HERE / "random_scenarios")]
import invariants  # noqa: E402
import program  # noqa: E402
import smaller  # noqa: E402
from shrink import shrink  # noqa: E402

PEERPATH = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
STAR = {"hosts": ["h0..h3"], "switches": ["leaf"], "cables": [{"from": "h0..h3", "to": "leaf", "rate": "100Gbps"}]}
SCENARIOS = {
    "rdma": {"network": STAR, "slow_hosts": [{"hosts": "h3", "rate": "20Gbps"}],
             "rdma": [{"name": "in", "from": ["h1", "h2"], "to": ["h0"], "size": "16KiB"},
                      {"name": "slow", "from": ["h0"], "to": ["h3"], "size": "64KiB"},
                      {"name": "some", "from": ["h1"], "to": ["h2"], "size": "2KiB", "load": 20}],
             "run": {"warmup": "0us", "measure": "100us"}},
    "tcp": {"network": STAR, "tcp_stack": {"initial_rto": "2ms"}, "switches": {"buffer": "200kB"},
            "tcp": [{"name": "t", "from": ["h1", "h2"], "to": ["h0"], "bytes": "100kB"}], "run": {"measure": "1ms"}},
    "collective": {"network": STAR, "collectives": [{"name": "sum", "hosts": ["h0..h3"], "bytes": "256KiB"}]},
    "tokens": {"network": STAR, "collectives": [{"name": "sum", "kind": "all_to_all", "hosts": ["h0..h3"], "bytes": "16KiB", "token": "1KiB"}]},
    "job": {"network": STAR, "traces": [{"name": "j", "file": "job.json", "hosts": ["h0..h1"]}],
            "files": {"job.json": {"nodes": [
                {"id": 1, "type": "COMP_NODE", "duration_micros": 5},
                {"id": 2, "type": "COMM_COLL_NODE", "comm_type": "ALL_REDUCE", "comm_size": 65536, "data_deps": [1]}]}}},
}


def metric(name, change):
    def apply(document):
        found = next(m for m in document["metrics"] if m["name"] == name)
        found["value"] = change(found["value"])
    return apply


def at(change, *way):
    """Changes the figure at the end of this way into the document."""
    def apply(document):
        part = document
        for key in way[:-1]:
            part = part[key]
        part[way[-1]] = change(part[way[-1]])
    return apply


def more(by):
    return lambda value: value + by


def to(new):
    return lambda value: new


CABLE = ("network", "cables", 0)
FLAWS = [  # invariant, scenario, one figure changed
    ("ends_well", "rdma", at(to(False), "complete")),
    ("ends_well", "rdma", metric("network.deadlock", to(1))),
    ("deadlocks_have_a_cycle", "rdma", at(to({"blocked": []}), "deadlock")),
    ("bytes_are_conserved", "rdma", at(to(["a byte"]), "conservation", "violations")),
    *(("ports_conserve_bytes", kind, at(more(1), *CABLE, key)) for kind in ("rdma", "tcp", "collective")
      for key in ("offered_bytes", "arrived_bytes", "dropped_bytes", "backlog_at_begin_bytes", "backlog_at_end_bytes")),
    ("switches_conserve_bytes", "rdma", at(more(-60), *CABLE, "arrived_bytes")),
    ("switches_conserve_bytes", "tcp", at(more(60), *CABLE, "offered_bytes")),
    *(("entries_conserve_bytes", kind, at(more(4), "network", "entries", 0, key)) for kind in ("rdma", "tcp")
      for key in ("offered_bytes", "arrived_bytes", "missing_at_begin_bytes", "missing_at_end_bytes")),
    ("entries_conserve_bytes", "rdma", metric("in.goodput_gbps", more(0.002))),
    ("entries_conserve_bytes", "rdma", at(to("other"), "network", "entries", 1, "name")),
    ("numbers_have_a_range", "rdma", at(to(100.1), *CABLE, "busy_percent")),
    ("numbers_have_a_range", "rdma", at(to(100.1), *CABLE, "paused_percent")),
    ("numbers_have_a_range", "rdma", at(to(-1), "network", "entries", 0, "missing_at_end_bytes")),
    ("numbers_have_a_range", "tcp", metric("t.send_core_percent", to(100.1))),
    ("times_are_in_order", "rdma", metric("in.latency_p50_us", more(1e6))),
    ("times_are_in_order", "rdma", metric("in.latency_p99_us", to(None))),
    ("times_are_in_order", "rdma", metric("some.slowdown_p50", to(0.9))),
    ("times_are_in_order", "tcp", metric("t.time_max_us", to(0))),
    ("times_are_in_order", "job", at(more(10**6), "network", "jobs", 0, "ranks", 0, "hidden_us")),
    ("cables_carry_what_they_can", "rdma", at(more(10**6), *CABLE, "sent_bytes")),
    ("cables_carry_what_they_can", "rdma", at(more(-20), *CABLE, "busy_percent")),
    *(("payload_came_over_the_cables", "rdma", at(more(by), "network", "entries", 0, "arrived_bytes")) for by in (10**4, 10**5)),
    ("goodput_fits_the_cables", "rdma", metric("in.goodput_gbps", to(101))),
    ("goodput_fits_the_cables", "rdma", metric("slow.goodput_gbps", more(2))),
    ("messages_make_the_goodput", "rdma", metric("in.messages", more(10))),
    ("collectives_say_one_time", "collective", metric("sum.algbw", more(0.1))),
    ("collectives_say_one_time", "collective", metric("sum.busbw", more(0.1))),
    ("collectives_say_one_time", "collective", metric("sum.nic_gbps", to(101))),
    *(("collectives_say_one_time", "collective", metric("sum.time_us", to(time))) for time in (20, 0, -3)),
    ("collectives_say_one_time", "tokens", metric("sum.algbw", to(None))),
    ("collectives_say_one_time", "tokens", metric("sum.time_us", to(0))),
    ("the_sentence_agrees_with_the_tables", "rdma", at(to("another thing"), "bottleneck")),
    ("the_sentence_agrees_with_the_tables", "rdma", at(to(12.5), *CABLE, "busy_percent")),
    ("the_sentence_agrees_with_the_tables", "rdma", at(to(["nobody"]), "limits", 0, "traffic")),
    ("totals_are_sums", "rdma", metric("network.packets", more(1))),
    ("totals_are_sums", "tcp", metric("network.queue_peak_bytes", more(1))),
    ("quiet_cables_lose_nothing", "collective", at(more(1), *CABLE, "dropped")),
]


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = {}
        with program.Peerpath(PEERPATH) as peerpath:
            for name, scenario in SCENARIOS.items():
                cls.runs[name] = peerpath.run(scenario)
                assert cls.runs[name].status == 0, cls.runs[name].said
        # PFC in all priorities that a collective uses, which its figures alone show.
        cls.runs["collective"].document["scenario"]["switches"]["lossless"] = [3, 5, 6]

    def test_nothing_is_found_without_a_flaw(self):
        for name, run in self.runs.items():
            for check in invariants.ALL:
                with self.subTest(f"{name} {check.__name__}"):
                    self.assertEqual(list(check(SCENARIOS[name], run)), [])

    def test_each_flaw_is_found(self):
        self.assertEqual({flaw[0] for flaw in FLAWS}, {check.__name__ for check in invariants.ALL})
        for number, (check, name, change) in enumerate(FLAWS):
            with self.subTest(f"{number}: {check} of {name}"):
                run = self.runs[name]
                document = copy.deepcopy(run.document)
                change(document)
                flawed = program.Run(run.status, document, run.said, "")
                self.assertNotEqual(list(getattr(invariants, check)(SCENARIOS[name], flawed)), [])

    def test_a_failing_scenario_is_made_small(self):
        small = shrink(SCENARIOS["rdma"], lambda s: any(e["name"] == "slow" for e in s.get("rdma", ())), 100, smaller.parts, smaller.without)
        self.assertEqual([e["name"] for e in small["rdma"]], ["slow"])
        self.assertNotIn("slow_hosts", small)

    def test_the_judge_ends_with_an_error_for_a_broken_program(self):
        with program.Peerpath(PEERPATH) as peerpath:
            stand_in = peerpath.folder / "peerpath"
            stand_in.write_text(f"#!/bin/sh\n{PEERPATH} \"$@\" | sed 's/\"holds\": true/\"holds\": false/'\n")
            stand_in.chmod(0o755)
            command = [sys.executable, "-B", HERE / "random_networks", stand_in, "--cases", "1", "--only", "bytes_are_conserved", "--tries", "1"]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"seed 1: bytes_are_conserved: ")


if __name__ == "__main__":
    unittest.main()
