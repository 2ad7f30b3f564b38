#!/usr/bin/env python3
"""Tests of the commands on measurements: measure, calibrate, validate, and doctor, which names missing parts.

usage: cli_measured_test.py PEERPATH SCENARIOS
"""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from cli_case import PROGRAM, SCENARIO, Case, peerpath


class Measured(Case):
    def data(self, name):
        return str(pathlib.Path(SCENARIO).parents[2] / "validation" / "data" / name)

    def test_measure_without_gpu_is_waived_and_says_what_would_run(self):
        done = peerpath("measure", "--library", "/nowhere/libcuda.so.1", "--out", str(self.out))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("waived: /nowhere/libcuda.so.1", done.stderr)
        self.assertIn("would run: copy_to_device", done.stderr)
        self.assertFalse(self.out.exists())

    def test_a_dataset_is_predicted_with_parameters_fitted_on_a_third_of_it(self):
        done = peerpath("validate", self.data("h200/one_gpu.jsonl"), "--calibration", self.data("presets/h200.json"), "--laws",
                        "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertLessEqual(3 * document["fitted_points"], document["measured_points"])
        self.assertLessEqual(document["held_out"]["median_error"], 0.04)
        self.assertLessEqual(document["held_out"]["p95_error"], 0.10)

    def test_a_dataset_that_no_law_is_fitted_to_is_refused(self):
        done = peerpath("calibrate", self.data("gpunet/two_h100_rings.jsonl"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no point available to the fit has a law", done.stderr)

    def test_the_second_gpu_for_sockets_is_as_the_first_is_calibrated(self):
        def read(name):
            file = pathlib.Path(SCENARIO).parent.parent / "hardware" / name
            lines = file.read_text(encoding="utf-8").splitlines()
            return json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
        one, two = read("h200_host.json"), read("gpunet_two_gpus.json")
        self.assertEqual(two["devices"]["gpu1"], one["devices"]["gpu0"])
        link = next(link for link in one["links"] if link["to"] == "gpu0")
        self.assertEqual(two["links"], [link, dict(link, to="gpu1")])

    def test_points_of_sockets_are_played_and_two_thirds_of_them_judge(self):
        done = peerpath("validate", self.data("gpunet/two_h100_rings.jsonl"), "--json")
        document = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if document["median_error_percent"] <= document["allowed_percent"] else 1)
        self.assertEqual([p["fitted"] for p in document["points"][:5]], [False, True, False, False, True])
        self.assertTrue(all(p["played_ns"] > 0 for p in document["points"]))
        done = peerpath("validate", self.data("gpunet/two_h100_rings.jsonl"), "--laws")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--laws requires a dataset of GPUs; this is a gpunet dataset", done.stderr)

    def test_a_truncated_dataset_is_refused_with_its_place(self):
        text = pathlib.Path(self.data("h200/one_gpu.jsonl")).read_text()
        file = pathlib.Path(self.folder.name) / "cut.jsonl"
        file.write_text(text[: len(text) // 2])
        for command in ("validate", "calibrate"):
            done = peerpath(command, str(file))
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"cut.jsonl:\d+:1: .*truncated")

    def test_measure_has_the_same_short_option_as_a_program_of_its_own(self):
        program = pathlib.Path(PROGRAM).parent / "peerpath-measure"
        if not program.exists():
            self.skipTest("peerpath-measure is not built")
        for command in ([PROGRAM, "measure"], [program]):
            done = subprocess.run([*command, "-o", "/nowhere/x", "--library", "/nowhere"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertNotIn("-o", done.stderr)

    def test_validate_prints_contention_and_the_spread_between_machines(self):
        words = ("validate", self.data("h200/four_gpus_a.jsonl"), "--calibration", self.data("presets/h200_four_a.json"),
                 "--laws", "--spread", self.data("h200/four_gpus_b.jsonl"))
        done = peerpath(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"4 of 9 points fitted, the rest within \d+\.\d % \(allowed 10\): pass")
        self.assertIn("spread of four_gpus_a.jsonl, four_gpus_b.jsonl: greatest median to least", done.stdout)
        document = json.loads(peerpath(*words, "--json").stdout)
        self.assertTrue(document["contention"]["passed"])
        self.assertEqual(len(document["spread"]["points"]), 274)
        self.assertEqual(peerpath(*words[:-1], "/nowhere.jsonl").returncode, 2)

    def test_a_point_below_the_noise_is_set_aside_and_the_rest_is_used(self):
        lines = pathlib.Path(self.data("h200/one_gpu.jsonl")).read_text().splitlines(keepends=True)
        noisy = json.loads(lines[4])
        lines[4] = lines[4].replace(f'"least":{noisy["least"]}', '"least":-7.5')
        file = pathlib.Path(self.folder.name) / "noisy.jsonl"
        file.write_text("".join(lines))
        done = peerpath("validate", str(file), "--calibration", self.data("presets/h200.json"), "--laws")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"warning: {file}:5:1: {noisy['experiment']}: is set aside: a sample of -7.5 ns", done.stderr)
        done = peerpath("calibrate", str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"warning: {file}:5:1: ", done.stderr)

    def test_validate_takes_no_options_that_would_do_nothing(self):
        for words, option in ((["pcie-bench", "--spread", "x"], "--spread"), (["--all", "--laws"], "--laws"),
                              (["--all", "--out", "x"], "--out"),
                              (["x.jsonl", "--refit-card"], "--refit-card")):
            result = peerpath("validate", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertRegex(result.stderr, f"^error: {option} requires (a dataset of GPUs|pcie-bench); this is ")
        result = peerpath("validate", "--all", "x.jsonl")
        self.assertEqual(result.returncode, 2)
        self.assertIn("one of pcie-bench, a dataset", result.stderr)

    def test_doctor_names_driver_libraries_and_kernels_and_the_way_to_get_them(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "bin").mkdir()
        (folder / "share" / "peerpath").mkdir(parents=True)
        program = folder / "bin" / "peerpath"
        shutil.copy(PROGRAM, program)

        def findings():
            done = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True, check=True)
            return {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}

        before = findings()
        for name, target in (("kernels.fatbin", "gpu_kernels"), ("gpunet.fatbin", "gpunet_kernels")):
            self.assertFalse(before[name]["found"])
            self.assertIn(str(folder / "share" / "peerpath"), before[name]["detail"])
            self.assertIn(target, before[name]["detail"])
            (folder / "share" / "peerpath" / name).write_text("code")
        self.assertRegex(before["libcuda.so.1"]["detail"], "CUDA|install the driver of NVIDIA")
        self.assertEqual(findings()["gpunet.fatbin"]["detail"], str(folder / "share" / "peerpath" / "gpunet.fatbin"))

    @unittest.skipUnless(os.path.exists(os.environ.get("PEERPATH_FAKE_DRIVER", "")), "needs the driver of the tests")
    def test_with_a_driver_its_file_and_version_are_found_and_missing_kernels_have_a_hint(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "libcuda.so.1").symlink_to(os.environ["PEERPATH_FAKE_DRIVER"])
        fake = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
        found = {finding["name"]: finding for finding in json.loads(peerpath("doctor", "--json", env=fake).stdout)["findings"]}
        self.assertRegex(found["libcuda.so.1"]["detail"], rf"{folder}/libcuda.so.1, CUDA [\d.]+, \d+ GPUs")
        if found["kernels.fatbin"]["found"] or found["gpunet.fatbin"]["found"]:
            self.skipTest("the kernels are built")
        for words in (("measure", "--out", str(folder / "set.jsonl")), ("run", "gpunet/echo", "--on", "hardware")):
            done = peerpath(*words, env=fake)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("share/peerpath", done.stderr)
            self.assertIn("validation/experiments/build-gpu", done.stderr)

    def test_doctor_looks_for_the_emulator_that_run_would_use(self):
        nowhere = dict(os.environ, PEERPATH_EMULATOR=self.folder.name)
        findings = json.loads(peerpath("doctor", "--json", env=nowhere).stdout)["findings"]
        emulator = next(finding for finding in findings if finding["name"] == "emulator")
        waived = peerpath("run", SCENARIO, "--on", "emulator", env=nowhere)
        self.assertEqual(waived.returncode, 3)
        self.assertEqual(waived.stderr, f"waived: {emulator['detail']}\n")


if __name__ == "__main__":
    unittest.main()
