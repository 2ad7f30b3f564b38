#!/usr/bin/env python3
"""The Python module, against the program and against what a user may do wrong.

usage: module_test.py PYTHON_FOLDER SOURCE_FOLDER PEERPATH
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

FOLDER, SOURCE, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
sys.path.insert(0, FOLDER)
try:
    import numpy as np
except ImportError:
    print("skipped: python3-numpy is missing")
    sys.exit(3)

import peerpath  # noqa: E402

ZERO_COPY = SOURCE + "/scenarios/netgpu/zero_copy.json"
SHORT = {"run.measure": "20us"}


class Run(unittest.TestCase):
    def test_results_are_those_of_the_program_to_the_last_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            result = peerpath.run(ZERO_COPY, set={**SHORT, "traffic.rx.sizes": "1KiB"})
            result.save(folder + "/python")
            words = ["--set", "run.measure=20us", "--set", "traffic.rx.sizes=1KiB", "--out", folder + "/program", "--quiet"]
            subprocess.run([PROGRAM, "run", ZERO_COPY, *words], capture_output=True, check=False)
            ours, theirs = (pathlib.Path(folder, who, "results.json").read_bytes() for who in ("python", "program"))
            self.assertEqual(ours, theirs)

    def test_a_name_is_looked_up_in_the_scenarios_that_came_along(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                result = peerpath.run("netgpu/zero_copy")
            finally:
                os.chdir(before)
        self.assertTrue(result.passed)
        self.assertEqual(result.name, "netgpu/zero_copy")
        self.assertAlmostEqual(result["rx.goodput_gbps"], 195.7, delta=1)
        self.assertEqual(result.units["rx.goodput_gbps"], "Gb/s")
        self.assertIn("<peerpath.Result netgpu/zero_copy: passed", repr(result))

    def test_a_network_scenario_gives_the_results_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            result = peerpath.run("roce/two_nodes_write", set={"run.measure": "20us"})
            result.save(folder + "/python")
            words = ["--set", "run.measure=20us", "--out", folder + "/program", "--quiet"]
            subprocess.run([PROGRAM, "run", "roce/two_nodes_write", *words], capture_output=True, check=False)
            ours, theirs = (pathlib.Path(folder, who, "results.json").read_bytes() for who in ("python", "program"))
        self.assertEqual(ours, theirs)
        self.assertEqual(result.warnings, [])
        with self.assertRaisesRegex(peerpath.ScenarioError, "no curves are kept"):
            peerpath.run("roce/two_nodes_write", series=True)

    def test_a_dict_is_a_scenario(self):
        scenario = {"extends": "netgpu/zero_copy", "run": {"measure": "20us"}, "traffic": [
            {"name": "rx", "kind": "receive", "from": "nic0", "to": "gpu0", "headers_to": "dram", "path": "zero_copy", "rate": "100Gbps",
             "sizes": "4KiB", "flows": 16}], "expect": []}
        result = peerpath.run(scenario)
        self.assertAlmostEqual(result["rx.goodput_gbps"], 97.8, delta=3)

    def test_a_preset_is_known_by_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "mine.json")
            text = pathlib.Path(ZERO_COPY).read_text().replace("../hardware/", "").replace(".json\"", "\"")
            file.write_text(text)
            self.assertEqual(peerpath.run(file, set=SHORT)["rx.goodput_gbps"], peerpath.run(ZERO_COPY, set=SHORT)["rx.goodput_gbps"])

    def test_a_failed_expectation_is_no_exception(self):
        result = peerpath.run(ZERO_COPY, set={**SHORT, "traffic.rx.rate": "100Gbps"})
        self.assertFalse(result.passed)
        self.assertIn("FAILED", repr(result))
        failed = [e.metric for e in result.expectations if not e.ok]
        self.assertEqual(failed, ["rx.goodput_gbps"])

    def test_an_unmeasured_metric_is_nan(self):
        result = peerpath.run(ZERO_COPY, set=SHORT)
        rows = {row["name"]: row["value"] for row in result.to_dict()["metrics"]}
        self.assertEqual(len(rows), len(result.metrics))
        for name, value in rows.items():
            self.assertTrue(np.isnan(result[name]) if value is None else result[name] == value, name)

    def test_values_of_numpy_are_values(self):
        result = peerpath.run(ZERO_COPY, set={**SHORT, "devices.nic0.queues": np.int64(2)})
        self.assertEqual(result.scenario["devices"]["nic0"]["queues"], 2)


class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = peerpath.run(ZERO_COPY, set=SHORT, series=True)

    def test_the_histogram_holds_each_packet_and_agrees_with_the_metrics(self):
        latency = self.result.latency["rx"]
        self.assertEqual(len(latency), self.result["rx.delivered_packets"])
        self.assertEqual(latency.counts.dtype, np.int64)
        self.assertTrue((np.diff(latency.lower_ns) > 0).all())
        for share, name in ((0.5, "p50"), (0.99, "p99")):
            self.assertAlmostEqual(latency.quantile(share) / self.result[f"rx.latency_{name}_ns"], 1, delta=0.04)
        self.assertEqual(latency.quantile(np.array([0.5, 0.9])).shape, (2,))

    def test_curves_have_times(self):
        series = self.result.series
        goodput = [curve for curve in series.values() if curve.group == "goodput"]
        self.assertTrue(goodput)
        for curve in series.values():
            self.assertEqual(curve.time_ns.shape, curve.values.shape)
        mean = max(np.mean(curve.values[len(curve.values) // 2:]) for curve in goodput)
        self.assertAlmostEqual(mean / self.result["rx.goodput_gbps"], 1, delta=0.05)

    def test_without_curves_there_is_a_sentence(self):
        with self.assertRaisesRegex(LookupError, "series=True"):
            _ = peerpath.run(ZERO_COPY, set=SHORT).series

    def test_results_are_the_same_with_curves(self):
        self.assertEqual(self.result.to_dict(), peerpath.run(ZERO_COPY, set=SHORT).to_dict())

    def test_a_notebook_shows_the_report(self):
        page = self.result._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=\"&lt;!DOCTYPE html&gt;") or "&lt;html" in page[:300], page[:300])
        self.assertNotIn("<script", page)
        self.assertIn("netgpu/zero_copy", page)


class Wrong(unittest.TestCase):
    def problems(self, *words, **named):
        with self.assertRaises(peerpath.ScenarioError) as caught:
            peerpath.run(*words, **named)
        return caught.exception

    def test_a_mistake_in_a_file_has_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "mine.json")
            file.write_text('{\n  "extends": "netgpu/zero_copy",\n  "devices": { "nic0": { "queus": 8 } }\n}\n')
            error = self.problems(file)
        self.assertEqual((error.problems[0].file, error.problems[0].line), (str(file), 3))
        self.assertEqual(error.problems[0].key, "/devices/nic0/queus")
        self.assertRegex(str(error), r"mine\.json:3:\d+: .*did you mean \"?queues")

    def test_a_mistake_in_a_dict_has_its_place(self):
        error = self.problems({"extends": "netgpu/zero_copy", "run": {"sed": 1}})
        self.assertRegex(str(error), r"<dict>:4:\d+: /run/sed: ")

    def test_every_mistake_is_told(self):
        error = self.problems(ZERO_COPY, set={"devices.nic0.queues": 0, "run.measure": "fast"})
        self.assertEqual({p.key for p in error.problems}, {"--set devices.nic0.queues", "--set run.measure"})

    def test_a_scenario_that_is_not_there(self):
        self.assertIn("there is no such file", str(self.problems("netgpu/zero_cpy")))

    def test_a_metric_that_is_not_there(self):
        with self.assertRaisesRegex(KeyError, "did you mean.*rx.goodput_gbps"):
            _ = peerpath.run(ZERO_COPY, set=SHORT)["rx.godput_gbps"]


class Sweep(unittest.TestCase):
    def test_columns_are_arrays_and_each_point_is_what_run_gives(self):
        sweep = peerpath.sweep(ZERO_COPY, {"links.*.generation": [4, 5], "traffic.rx.sizes": ["1KiB", "4KiB"]}, set=SHORT)
        self.assertEqual(len(sweep), 4)
        self.assertEqual(sweep["links.*.generation"].tolist(), [4, 4, 5, 5])
        self.assertEqual(sweep["traffic.rx.sizes"].tolist(), ["1KiB", "4KiB"] * 2)
        self.assertEqual(sweep["rx.goodput_gbps"].dtype, np.float64)
        self.assertEqual(sweep.grid("rx.goodput_gbps").shape, (2, 2))
        one = peerpath.run(ZERO_COPY, set={**SHORT, "links.0.generation": 4, "links.1.generation": 4, "links.2.generation": 4})
        self.assertEqual(sweep.grid("rx.goodput_gbps")[0, 1], one["rx.goodput_gbps"])
        self.assertEqual(sweep["bottleneck"][1], one.bottleneck)

    def test_threads_change_nothing(self):
        one, four = (peerpath.sweep(ZERO_COPY, {"traffic.rx.flows": "1..8"}, set=SHORT, jobs=jobs) for jobs in (1, 4))
        for name, column in one.metrics.items():
            np.testing.assert_array_equal(column, four[name], name)

    def test_what_goes_in_step_is_one_axis(self):
        sweep = peerpath.sweep(ZERO_COPY, {("nic0.queues", "traffic.rx.flows"): [(2, 8), (4, 16)]},
                               variants={"far": {"links.gpu0.from": "rc"}, "near": {}}, set=SHORT)
        self.assertEqual(sweep.shape, (2, 2))
        self.assertEqual(sweep["variant"].tolist(), ["far", "far", "near", "near"])
        self.assertEqual(sweep["traffic.rx.flows"].tolist(), [8, 16, 8, 16])

    def test_a_point_that_cannot_be_run_is_a_row(self):
        sweep = peerpath.sweep(ZERO_COPY, {"nic0.queues": [0, 8]}, set=SHORT)
        self.assertEqual(sweep.status.tolist()[0], "wrong")
        self.assertIn("queues", sweep.message[0])
        self.assertTrue(np.isnan(sweep["rx.goodput_gbps"][0]))
        self.assertGreater(sweep["rx.goodput_gbps"][1], 0)

    def test_what_is_varied_wrongly_is_an_error(self):
        for vary in ({}, {"nic9.queues": [1]}, {"nic0.queues": "1..x"}):
            with self.assertRaises(peerpath.ScenarioError):
                peerpath.sweep(ZERO_COPY, vary)
        with self.assertRaisesRegex(ValueError, "at least 1"):
            peerpath.sweep(ZERO_COPY, {"nic0.queues": [1]}, jobs=0)

    def test_progress_is_told_and_may_stop_it(self):
        told = []
        peerpath.sweep(ZERO_COPY, {"traffic.rx.flows": "1..4"}, set=SHORT, progress=lambda *done: told.append(done))
        self.assertEqual(told[-1], (4, 4))

        def stop(done, points):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            peerpath.sweep(ZERO_COPY, {"traffic.rx.flows": "1..64"}, progress=stop)


class Interrupted(unittest.TestCase):
    def interrupt(self, call):
        began = time.monotonic()
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            call()
        self.assertLess(time.monotonic() - began, 20)

    def test_ctrl_c_ends_a_run(self):
        self.interrupt(lambda: peerpath.run(ZERO_COPY, set={"run.measure": "2s"}))

    def test_ctrl_c_ends_a_sweep(self):
        self.interrupt(lambda: peerpath.sweep(ZERO_COPY, {"traffic.rx.flows": "1..64"}, set={"run.measure": "2s"}))


class Package(unittest.TestCase):
    def test_version_is_that_of_the_program(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(peerpath.__version__, said)

    def test_it_is_typed(self):
        self.assertTrue(pathlib.Path(peerpath.__file__).with_name("py.typed").exists())
        for name in peerpath.__all__:
            self.assertTrue(getattr(peerpath, name).__doc__ or name == "__version__", name)

    def test_what_it_takes_is_json(self):
        self.assertEqual(json.loads(json.dumps(peerpath.run(ZERO_COPY, set=SHORT).scenario))["run"]["measure"], "20us")


if __name__ == "__main__":
    unittest.main()
