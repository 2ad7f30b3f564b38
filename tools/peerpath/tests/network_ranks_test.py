"""A network scenario run by one process and by ranks of mpirun: the same bytes of results.

usage: network_ranks_test.py PEERPATH SCENARIOS
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

# On this machine alone, with more ranks than processors if need be, and as root too.
LOCAL = {"OMPI_MCA_plm": "isolated", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
JOB = {
    "network": {"clos": {"racks": 4, "hosts": 4, "spines": 2}},
    "switches": {"buffer": "2MB", "path": "ecmp_qp", "ecn_min": "1kB", "ecn_max": "4kB"},
    "nics": {"dcqcn": "original", "buffer": "500kB", "pause_above": "200kB", "resume_below": "100kB"},
    "slow_hosts": [{"hosts": "h9", "rate": "20Gbps"}],
    "rdma": [{"name": "incast", "from": ["h1", "h5", "h6", "h10", "h14"], "to": "h0", "size": "64KiB", "outstanding": 4},
             {"name": "slow", "from": "h3", "to": "h9", "size": "64KiB"}],
    "collectives": [{"name": "sum", "hosts": "h0..h15", "bytes": "256KiB", "qps": 2}],
    "run": {"measure": "800us", "patience": "100us"},
}


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "job.json"
        self.file.write_text(json.dumps(JOB))

    def run_with(self, ranks, *arguments, out="out"):
        command = [PROGRAM, "run", self.file, "--out", self.folder / out, *arguments]
        if ranks > 0:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), *command]
        return subprocess.run(command, env={**os.environ, **LOCAL}, capture_output=True, text=True, timeout=300, check=False)

    @unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
    def test_one_two_and_four_ranks_give_the_same_bytes(self):
        alone = self.run_with(0)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        results = (self.folder / "out" / "results.json").read_bytes()
        metrics = {m["name"]: float(m["value"]) for m in json.loads(results)["metrics"] if m["value"] is not None}
        # h9's memory takes 20 Gb/s of frames without pause: 480 KiB of the ring in packets of 2 KiB with 78 B of headers (the first
        # and last of their messages), the rest of `slow` in packets of 4 KiB with 58 B. So neither is faster, and the ring, of
        # which h9 receives 30 parts, takes at least the 204 us of its own bytes.
        ring = 30 * 16384 * 8 / 800e3
        self.assertAlmostEqual(ring * (2048 + 78) / 2048 + metrics["slow.goodput_gbps"] * (4096 + 59) / 4096, 20, delta=0.1)
        self.assertGreater(metrics["sum.time_us"], 30 * 8 * (2048 + 78) * 8 / 20e3)
        self.assertAlmostEqual(metrics["sum.nic_gbps"], 30 * 16384 * 8 / metrics["sum.time_us"] / 1e3, delta=0.002)
        for name in ("network.pauses", "network.marked", "network.nic_pauses", "sum.time_us"):
            self.assertGreater(metrics[name], 0, name + ": the job should try all of this")
        for ranks in (1, 2, 4):
            done = self.run_with(ranks, out=str(ranks))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / str(ranks) / "results.json").read_bytes(), results)
            self.assertEqual(done.stdout.count("Busiest cables"), 1, "one rank says it for all")

    @unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
    def test_mistakes_are_said_once(self):
        self.file.write_text(json.dumps({**JOB, "nics": {"dcqnc": "off"}}))
        done = self.run_with(2)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("dcqnc"), 1, done.stderr)
        self.file.write_text(json.dumps(JOB))
        done = self.run_with(2, "--trace", "pcapng")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("--trace works with a single process"), 1, done.stderr)

    @unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
    def test_ranks_that_were_given_different_runs_end_with_an_error(self):
        own = [PROGRAM, "run", self.file, "--out", self.folder / "out"]
        pcie = [PROGRAM, "run", SCENARIOS / "netgpu" / "zero_copy.json", "--out", self.folder / "pcie"]
        for other in ([*own, "--seed", "7"], [*own, "--set", "run.measure=500us"], pcie):
            for first, second in ((own, other), (other, own)):
                command = ["mpirun", "--oversubscribe", "-n", "1", *first, ":", "-n", "1", *second]
                done = subprocess.run(command, env={**os.environ, **LOCAL}, capture_output=True, text=True, timeout=60, check=False)
                self.assertNotEqual(done.returncode, 0, other)
                self.assertEqual(done.stderr.count("rank 1 was given another scenario, seed or window than rank 0"), 1, done.stderr)
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", *pcie, "--set", "run.measure=20us", "--set", "expect=[]"],
                              env={**os.environ, **LOCAL}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("written to"), 1, "rank 0 alone runs a scenario of PCIe")

    def test_a_launcher_that_is_not_open_mpi_is_refused(self):
        command = [PROGRAM, "run", self.file, "--out", self.folder / "out"]
        launched = {**os.environ, "PMI_RANK": "0", "PMI_SIZE": "3", **LOCAL}
        done = subprocess.run(command, env=launched, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("Open MPI", done.stderr)
        self.assertFalse((self.folder / "out" / "results.json").exists())


if __name__ == "__main__":
    PROGRAM, SCENARIOS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    sys.exit(0 if unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result.wasSuccessful() else 1)
