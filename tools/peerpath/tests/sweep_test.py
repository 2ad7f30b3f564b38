#!/usr/bin/env python3
"""Tests of `peerpath sweep`: the same rows however it got there, and what is wrong is said.

usage: sweep_test.py PEERPATH SCENARIOS
"""

import csv
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from cli_case import PROGRAM, SCENARIO, Case, peerpath

SHORT = "--set", "run.measure=20us", "--set", "expect=[]"
GRID = "--vary", "links.*.generation=4,5", "--vary", "nic0.mps=128,256"


def rows(file):
    with sqlite3.connect(file) as database:
        return {table: database.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in ("sweep", "points", "parameters", "results")}


class Sweep(Case):
    def setUp(self):
        super().setUp()
        self.file = self.out.with_suffix(".sqlite")

    def sweep(self, *words, out=None, scenario=SCENARIO):
        return peerpath("sweep", scenario, *SHORT, *words, "--out", str(out or self.file))

    def table(self, *words, **named):
        done = self.sweep(*words, "--csv", "-", **named)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_a_grid_is_in_order_and_agrees_with_run(self):
        table = self.table(*GRID)
        self.assertEqual([(row["links.*.generation"], row["nic0.mps"]) for row in table],
                         [(g, m) for g in "45" for m in ("128", "256")])
        run = peerpath("run", SCENARIO, *SHORT, "--set", "links.0.generation=4", "--set", "links.1.generation=4", "--set", "links.2.generation=4",
                       "--set", "devices.nic0.function.max_payload=256B", "--json", "--quiet", "--out", str(self.out))
        wanted = {metric["name"]: metric["value"] for metric in json.loads(run.stdout)["metrics"]}
        for name in ("rx.goodput_gbps", "rx.latency_p99_ns", "sw0-nic0.up.tlps"):
            if name in wanted:
                self.assertEqual(float(table[1][name]), wanted[name], name)
        self.assertNotEqual(table[0]["rx.latency_p50_ns"], table[3]["rx.latency_p50_ns"])

    def test_it_ends_with_a_table_of_all_points(self):
        done = self.sweep("--vary", "traffic.rx.rate=100Gbps,200Gbps,300Gbps")
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"point +traffic\.rx\.rate +goodput Gb/s +p99 ns +status +bottleneck")
        self.assertRegex(lines[2], r"^ *1 +200Gbps +19\d[\d.]* +[\d.]+ +ok +\S")
        self.assertRegex(lines[3], r"^ *2 +300Gbps +- +- +wrong +.*above the wire rate of nic0")
        many = self.sweep("--vary", "nic0.queues=1..45", "--set", "run.measure=5us", out=self.out.with_suffix(".many"))
        self.assertEqual(many.stdout.splitlines()[-1], "5 more points: --csv FILE writes all of them")
        self.assertEqual(self.sweep("--vary", "nic0.queues=1..45", "--set", "run.measure=5us", "--quiet", out=self.out.with_suffix(".many")).stdout, "")

    def test_ranges_lists_in_step_and_variants(self):
        table = self.table("--vary", "traffic.rx.rate=50Gbps..200Gbps*2", "--vary", "nic0.queues=2,4;traffic.rx.flows=8..16:8",
                           "--variant", "near:", "--variant", "far:links.gpu0.from=rc")
        self.assertEqual(len(table), 12)
        self.assertEqual([row["variant"] for row in table[::6]], ["near", "far"])
        self.assertEqual({(row["nic0.queues"], row["traffic.rx.flows"]) for row in table}, {("2", "8"), ("4", "16")})
        self.assertEqual([row["traffic.rx.rate"] for row in table[:6:2]], ["50Gbps", "100Gbps", "200Gbps"])
        self.assertEqual(float(table[0]["sw0-rc.up.payload_bytes"]), 0)
        self.assertGreater(float(table[6]["sw0-rc.up.payload_bytes"]), 0, "the GPU is on a root port now")

    def test_the_scenario_may_say_what_is_varied(self):
        scenario = self.scenario(json.dumps({"extends": SCENARIO, "sweep": {"vary": ["nic0.queues=1,2"], "variants": ["a:", "b:traffic.rx.flows=4"]}}))
        self.assertEqual(len(self.table(scenario=scenario)), 4)
        self.assertEqual(len(self.table("--vary", "nic0.queues=8", scenario=scenario, out=self.out)), 1, "the command line comes first")

    def test_a_wildcard_means_those_that_have_the_key(self):
        table = self.table("--vary", "devices.*.function.max_payload=128B,256B")
        self.assertEqual([row["status"] for row in table], ["ok", "ok"], [row["message"] for row in table])
        both = self.table("--vary", "devices.nic0.function.max_payload=128B,256B;devices.gpu0.function.max_payload=128B,256B", out=self.out)
        metrics = [key for key in table[0] if key.endswith((".tlps", "_gbps"))]
        self.assertGreater(len(metrics), 5)
        for row, wanted in zip(table, both):
            self.assertEqual([row[key] for key in metrics], [wanted[key] for key in metrics])
        self.assertEqual(len(self.table("--vary", "*.queues=1,2", out=self.out.with_suffix(".queues"))), 2)
        done = self.sweep("--vary", "devices.*.function.max_paylod=128B,256B", out=self.out.with_suffix(".none"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'none of the \d+ objects that "devices.\*.function.max_paylod" matches has this key')
        self.assertIn('did you mean "max_payload"', done.stderr)

    def test_a_wildcard_skips_entries_of_another_kind_and_machines_without_the_key(self):
        scenario = self.scenario(json.dumps({"extends": SCENARIO, "traffic": [
            {"name": "rx", "kind": "receive", "from": "nic0", "to": "gpu0"},
            {"name": "dma", "kind": "write", "from": "gpu0", "to": "dram", "rate": "10Gbps"}]}))
        table = self.table("--vary", "traffic.*.window=1MiB,2MiB", scenario=scenario)
        self.assertEqual([row["status"] for row in table], ["ok", "ok"], [row["message"] for row in table])
        table = self.table("--vary", "hosts.n.devices.*.function.max_payload=128B,256B", scenario="hosts/two_hosts", out=self.out)
        self.assertEqual([row["status"] for row in table], ["ok", "ok"], [row["message"] for row in table])

    def test_columns_are_chosen_and_parameters_come_first(self):
        done = self.sweep("--vary", "nic0.queues=1,-1", "--csv", "-", "--columns", "*.latency_p99_ns,rx.goodput_gbps", "--columns", "message")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual(lines[0], ["point", "nic0.queues", "status", "rx.latency_p99_ns", "rx.goodput_gbps", "message"])
        self.assertGreater(float(lines[1][4]), 0)
        self.assertEqual(lines[2][:5], ["1", "-1", "wrong", "", ""])
        whole = self.out.with_suffix(".whole")
        merged = peerpath("sweep", "--merge", str(self.file), "--out", str(whole), "--csv", "-", "--columns", "rx.goodput_gbps")
        self.assertEqual(merged.stdout.splitlines()[0], "point,nic0.queues,status,rx.goodput_gbps")

    def test_a_column_that_only_some_points_have_is_known(self):
        done = self.sweep("--variant", "one:", "--variant", "renamed:traffic.rx.name=in", "--csv", "-", "--columns", "in.goodput_gbps")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split(",")[3] != "" for line in done.stdout.splitlines()[1:]], [False, True])

    def test_an_unknown_column_is_refused_before_anything_runs(self):
        done = self.sweep("--vary", "nic0.queues=1,2", "--csv", "-", "--columns", "rx.goodput_gpbs")
        self.assertEqual(done.returncode, 2)
        self.assertIn('no metric of this sweep is called "rx.goodput_gpbs"; did you mean "rx.goodput_gbps"?', done.stderr)
        self.assertFalse(self.file.exists())
        done = self.sweep("--vary", "nic0.queues=1,2", "--columns", "rx.goodput_gbps")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--columns requires --csv", done.stderr)

    def test_a_network_is_varied_like_a_host(self):
        scenario = self.scenario(json.dumps({"extends": "roce/two_nodes_write", "run": {"warmup": "0us", "measure": "20us"}, "expect": [],
                                             "sweep": {"vary": ["rdma.write.size=16KiB,64KiB", "nics.mtu=1024,4096"]}}))
        done = peerpath("sweep", scenario, "--out", str(self.file), "--csv", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(row["rdma.write.size"], row["nics.mtu"]) for row in table], [(s, m) for s in ("16KiB", "64KiB") for m in ("1024", "4096")])
        for row in table:
            run = peerpath("run", scenario, "--set", f"rdma.write.size={row['rdma.write.size']}", "--set", f"nics.mtu={row['nics.mtu']}",
                           "--json", "--quiet", "--out", str(self.out))
            wanted = {metric["name"]: metric["value"] for metric in json.loads(run.stdout)["metrics"]}
            for name in ("write.goodput_gbps", "write.latency_p50_us"):
                self.assertEqual(float(row[name]), wanted[name])
        self.assertEqual(len({row["write.latency_p50_us"] for row in table}), 4)
        self.assertEqual(len({row["write.goodput_gbps"] for row in table}), 2, "bytes in the window: the share of headers decides, not the size of messages")
        page = self.out.with_suffix(".html")
        self.assertEqual(peerpath("report", str(self.file), "-o", str(page), "--metric", "write.latency_p50_us").returncode, 0)
        self.assertTrue("<th>write.latency_p50_us</th>" in page.read_text(), "the metric is a column of the page")
        unknown = peerpath("report", str(self.file), "--metric", "write.latency_p50_ns")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn('did you mean "write.latency_p50_us"', unknown.stderr)
        wrong = peerpath("sweep", scenario, "--vary", "nics.mtuu=1024,4096", "--out", str(self.out))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('did you mean "mtu"', wrong.stderr)

    def test_it_is_idempotent(self):
        self.sweep(*GRID)
        before = self.file.read_bytes()
        self.assertEqual(self.sweep(*GRID).returncode, 0)
        self.assertEqual(self.file.read_bytes(), before)

    def test_killed_at_random_it_goes_on_to_the_same_rows(self):
        points = "--vary", "traffic.rx.flows=1..60", "--vary", "nic0.queues=1,4,8", "--set", "run.measure=100us"
        self.sweep(*points, "--jobs", "2")
        wanted, file = rows(self.file), self.out.with_suffix(".killed")
        self.assertEqual(len(wanted["points"]), 180)
        chance = random.Random(20)
        command = [PROGRAM, "sweep", SCENARIO, *SHORT, *points, "--jobs", "2", "--out", str(file)]
        killed = 0
        for _ in range(4):
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.03, 0.2))
            run.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
            killed += run.wait(timeout=60) != 0
        self.assertGreater(killed, 0)
        self.assertEqual(self.sweep(*points, out=file).returncode, 0)
        self.assertEqual(rows(file), wanted)

    def test_two_ranks_of_a_launcher_make_one_file(self):
        self.sweep(*GRID, "--csv", str(self.out.with_suffix(".csv")))
        for names in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")):
            whole = self.out.with_suffix("." + names[0])
            table = whole.with_suffix(".csv")
            command = [PROGRAM, "sweep", SCENARIO, *SHORT, *GRID, "--jobs", "1", "--out", str(whole), "--csv", str(table)]
            ranks = [subprocess.Popen(command, env={**os.environ, names[0]: str(n), names[1]: "2"}, stderr=subprocess.PIPE, text=True) for n in range(2)]
            said = [rank.communicate(timeout=60)[1] for rank in ranks]
            self.assertEqual([rank.returncode for rank in ranks], [0, 0], said)
            self.assertEqual(rows(whole), rows(self.file))
            self.assertEqual(table.read_text(), self.out.with_suffix(".csv").read_text())
            self.assertEqual(list(whole.parent.glob("*rank-*")), [], "a rank's own file is gone once its rows are in the whole one")
            table.unlink()

    def test_ranks_that_find_the_sweep_complete_all_end_well(self):
        self.sweep(*GRID, "--csv", str(self.out))
        table = self.out.with_suffix(".csv")
        command = [PROGRAM, "sweep", SCENARIO, *SHORT, *GRID, "--out", str(self.file), "--csv", str(table)]
        ranks = [subprocess.Popen(command, env={**os.environ, "PMI_RANK": str(n), "PMI_SIZE": "12"}, stderr=subprocess.PIPE, text=True) for n in range(12)]
        said = [rank.communicate(timeout=60)[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * 12, said)
        self.assertEqual(table.read_text(), self.out.read_text())
        self.assertEqual(sorted(path.name for path in table.parent.iterdir()), sorted(path.name for path in (self.out, self.file, table)))

    @unittest.skipUnless(shutil.which("mpirun"), "needs openmpi-bin")
    def test_open_mpi_starts_two_ranks(self):
        self.sweep(*GRID)
        whole = self.out.with_suffix(".mpi")
        # On this machine alone, with more ranks than processors if need be, and as root too.
        local = {"OMPI_MCA_plm": "isolated", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = ["mpirun", "--oversubscribe", "-n", "2", PROGRAM, "sweep", SCENARIO, *SHORT, *GRID, "--out", str(whole)]
        done = subprocess.run(command, env={**os.environ, **local}, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rows(whole), rows(self.file))
        done = subprocess.run([*command, "--retry"], env={**os.environ, **local}, capture_output=True, text=True, timeout=120)
        self.assertIn("--retry", done.stderr, "each knows that it is a rank")

    def test_a_rank_runs_its_share_and_no_other(self):
        rank = {**os.environ, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"}
        done = peerpath("sweep", SCENARIO, *SHORT, *GRID, "--out", str(self.file), env=rank)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([point for point, *_ in rows(self.file)["points"]], [1, 3])
        self.assertIn("rank 1 of 2: 2 of 4 points", done.stderr)
        for word, env in (("--csv", rank), ("--retry", rank)):
            done = peerpath("sweep", SCENARIO, *SHORT, *GRID, "--out", str(self.file), word, *(["-"] if word == "--csv" else []), env=env)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)
        batch_script = {**os.environ, "SLURM_PROCID": "0", "SLURM_NTASKS": "2"}
        self.assertEqual(peerpath("sweep", SCENARIO, *SHORT, *GRID, "--out", str(self.file), env=batch_script).returncode, 0)
        self.assertEqual(len(rows(self.file)["points"]), 4, "outside of srun there is one process, which does all")

    def test_shards_join_to_the_same_rows(self):
        self.sweep(*GRID)
        parts = [self.out.with_suffix(f".{n}") for n in (1, 2)]
        for n, part in enumerate(parts, 1):
            self.assertEqual(self.sweep(*GRID, "--shard", f"{n}/2", out=part).returncode, 0)
            self.assertEqual(len(rows(part)["points"]), 2)
        whole = self.out.with_suffix(".whole")
        done = peerpath("sweep", "--merge", *map(str, parts), "--out", str(whole))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rows(whole), rows(self.file))
        other = self.out.with_suffix(".other")
        self.sweep("--vary", "nic0.queues=1,2", out=other)
        done = peerpath("sweep", "--merge", str(parts[0]), str(other), "--out", str(whole))
        self.assertEqual(done.returncode, 2)
        self.assertIn("belongs to a different sweep than", done.stderr)

    def test_a_point_that_fails_is_recorded_and_stops_nothing(self):
        done = self.sweep("--vary", "nic0.queues=4,-1,8", "--csv", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row["status"] for row in table], ["ok", "wrong", "ok"])
        self.assertIn("devices.nic0.queues: -1 is below", table[1]["message"])
        self.assertEqual(table[1]["rx.goodput_gbps"], "")
        self.assertEqual(self.sweep("--vary", "nic0.queues=4,-1,8", "--retry").returncode, 1)
        self.assertEqual(len(rows(self.file)["points"]), 3)

    def test_a_locked_file_is_said_and_one_interrupt_ends_the_wait(self):
        self.sweep(*GRID)
        with sqlite3.connect(self.file, isolation_level=None) as other:
            other.execute("DELETE FROM points WHERE point = 2")
            other.execute("BEGIN EXCLUSIVE")
            command = [PROGRAM, "sweep", SCENARIO, *SHORT, *GRID, "--out", str(self.file)]
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertIn("is locked by another program; waiting for it", run.stderr.readline())
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(timeout=10), 130)
            self.assertIn("database is locked", run.stderr.read())
            run.stderr.close()
            other.execute("ROLLBACK")
        self.assertEqual(self.sweep(*GRID).returncode, 0)

    def test_a_file_of_another_sweep_is_left_alone(self):
        self.sweep(*GRID)
        before = self.file.read_bytes()
        for words in (("--vary", "nic0.queues=1,2"), (*GRID, "--seed", "7")):
            done = self.sweep(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("give another file to --out", done.stderr)
        text = self.out.with_suffix(".txt")
        text.write_text("notes")
        done = self.sweep(*GRID, out=text)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not a sweep file", done.stderr)
        self.assertEqual((self.file.read_bytes(), text.read_text()), (before, "notes"))

    def test_wrong_words_are_named(self):
        for words, wanted in (((), "nothing is varied"), (("--vary", "nic0.queues"), "is not key=value"), (("--vary", "lnks.*.width=4"), "matches nothing"),
                              (("--vary", "nic0.qeues=4"), "did you mean"), (("--vary", "devices.nic9.queues=4"), "did you mean"),
                              (("--vary", "nic0.queues=4..1"), "goes down"), (("--vary", "nic0.mps=1KiB..4096B*2"), "different units"),
                              (("--vary", "nic0.queues=1..4*1"), "has an invalid step"), (("--vary", "nic0.queues=1,,2"), "empty value"),
                              (("--vary", "nic0.queues=1,2;traffic.rx.flows=1"), "must have equal length"), (("--vary", "nic0.queues=1", "--vary", "nic0.queues=2"), "varied twice"),
                              (("--vary", "nic0.queues=1..2000000"), "1000000"), (("--variant", "far"), "is not name:key=value"),
                              (("--variant", "a:", "--variant", "a:"), "two variants have the name"), (("--vary", "nic0.queues=1", "--shard", "3/2"), "--shard takes I/N"),
                              (("--vary", "nic0.queues=1", "--jobs", "many"), "--jobs takes"), (("--merge",), "")):
            done = self.sweep(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(wanted, done.stderr)
            self.assertFalse(self.file.exists(), "no file is made for it")
        self.assertIn("there is no file", peerpath("sweep", "--merge", str(self.file), "--out", str(self.out)).stderr)


if __name__ == "__main__":
    unittest.main()
