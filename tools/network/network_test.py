#!/usr/bin/env python3
"""Every example of peerpath-network holds what it expects; the same seed gives the same bytes; wrong input is named with its place.

usage: network_test.py PEERPATH_NETWORK
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
EXAMPLES = pathlib.Path(__file__).parent / "examples"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def metrics(name):
    return {k: v["value"] for k, v in json.loads(run(EXAMPLES / (name + ".json"), "--json").stdout)["metrics"].items()}


class Examples(unittest.TestCase):
    def test_each_holds_what_it_expects(self):
        files = sorted(EXAMPLES.glob("*.json"))
        self.assertGreater(len(files), 8)
        for file in files:
            with self.subTest(file.name):
                done = run(file)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_same_seed_same_bytes(self):
        file = EXAMPLES / "incast_dcqcn.json"
        self.assertEqual(run(file, "--json").stdout, run(file, "--json").stdout)
        self.assertNotEqual(run(file, "--json").stdout, run(file, "--json", "--seed", 7).stdout)

    def test_hashing_the_queue_pair_is_worth_a_quarter_at_least_and_pinning_too(self):
        plain, enhanced, pinned = (metrics("meta_all_reduce_" + p)["all_reduce.time_us"] for p in ("ecmp", "ecmp_qp", "pinned"))
        self.assertGreater(plain / enhanced, 1.25)
        self.assertGreater(plain / pinned, 1.25)

    def test_a_deadlock_is_named(self):
        said = json.loads(run(EXAMPLES / "pause_deadlock.json", "--json").stdout)["said"]
        self.assertRegex(said[0], r"^deadlock: in priority 3, s\d -> s\d waits for s\d -> s\d")

    def test_a_slow_host_is_named_as_the_cause(self):
        said = json.loads(run(EXAMPLES / "slow_gpu.json", "--json").stdout)["said"]
        self.assertRegex(said[0], r"^the NIC of h4 paused its switch \d+ times")


class Mistakes(unittest.TestCase):
    def said(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.json"
            file.write_text(text)
            done = run(file)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            return done.stderr.replace(folder + "/", "")

    def test_are_named_with_place_and_spelling(self):
        self.assertIn('wrong.json:1:14: /network/close: unknown key; did you mean "clos"?', self.said('{"network": {"close": {}}}'))
        self.assertIn("has no unit", self.said('{"network": {"clos": {"cables": {"host_rate": 400}}}}'))
        wrong = self.said('{"network": {"clos": {}}, "rdma": [{"from": "h0", "to": "h999"}],\n "expect": [{"metric": "x", "at_least": 1}]}')
        self.assertIn('/rdma/0/to: there is no host "h999"', wrong)
        self.assertEqual(run("/nowhere.json").returncode, 2)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
