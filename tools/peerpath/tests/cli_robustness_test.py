#!/usr/bin/env python3
"""Tests of the program where something is against it: signals, full disks, hostile names, damaged files.

usage: cli_robustness_test.py PEERPATH SCENARIOS
"""

import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import time
import unittest

from cli_case import PROGRAM, SCENARIO, Case, peerpath


class Robustness(Case):
    def test_interrupt_keeps_what_was_computed(self):
        command = [PROGRAM, "run", SCENARIO, "--set", "run.measure=1000s", "--set", "run.warmup=1us", "--out", str(self.out)]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        stdout, stderr = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, stderr)
        self.assertIn("INCOMPLETE", stdout)
        results = json.loads((self.out / "results.json").read_text())
        self.assertFalse(results["complete"])
        self.assertGreater(results["simulated_ns"], 0)
        self.assertTrue(re.search(r'"wanted_ns": 1e\+?12|"wanted_ns": 1000000000000', json.dumps(results)))

    def interrupted(self, by):
        """A run that would take long, after a signal."""
        command = [PROGRAM, "run", SCENARIO, "--set", "run.measure=1000s", "--set", "run.warmup=1us", "--out", str(self.out)]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        run.send_signal(by)
        return run, *run.communicate(timeout=60)

    def test_an_interrupted_run_leaves_complete_results_as_they_are(self):
        self.run_short()
        before = {file.name: file.read_bytes() for file in self.out.iterdir()}
        run, _, stderr = self.interrupted(signal.SIGINT)
        self.assertEqual(run.returncode, 130, stderr)
        self.assertIn("stay", stderr)
        self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir() if file.is_file()}, before)
        self.assertFalse(json.loads((self.out / "interrupted" / "results.json").read_text())["complete"])
        self.assertTrue((self.out / "interrupted" / "report.html").exists())

    def test_a_terminal_that_closes_keeps_what_was_computed(self):
        run, _, stderr = self.interrupted(signal.SIGHUP)
        self.assertEqual(run.returncode, 130, stderr)
        self.assertFalse(json.loads((self.out / "results.json").read_text())["complete"])

    def test_nohup_is_obeyed(self):
        command = [PROGRAM, "run", SCENARIO, "--set", "run.measure=1000s", "--out", str(self.out)]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(1)
        run.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(run.poll(), "it goes on")
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=60), 130)

    def test_a_full_disk_leaves_what_was_there(self):
        self.run_short()
        before = {file.name: file.read_bytes() for file in self.out.iterdir()}
        most = (len(before["report.html"]) + len(before["results.json"])) // 2  # the page is the longest

        def be_short_of_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        done = subprocess.run([PROGRAM, "run", SCENARIO, "--set", "run.measure=50us", "--seed", "7", "--out", str(self.out)],
                              capture_output=True, text=True, timeout=300, preexec_fn=be_short_of_room)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "error: cannot write .*report.html: File too large")
        self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir()}, before)

    def test_names_in_a_scenario_cannot_command_a_terminal(self):
        file = pathlib.Path(self.folder.name) / "x.json"
        file.write_text('{"devices": {"a\\u001b[2J\\nerror: b": {}}, "de\\u009bmo": 1}')
        done = peerpath("check", str(file))
        self.assertEqual(done.returncode, 2)
        self.assertIn("/devices/a\\x1b[2J\\nerror: b: is not a valid device name", done.stderr)
        self.assertIn("/de\\u009bmo: unknown key", done.stderr)
        self.assertEqual([c for c in done.stderr if ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160], [])
        self.assertTrue(all(line.startswith(str(file)) for line in done.stderr.splitlines()), done.stderr)

    def test_standard_output_that_is_a_terminal_gets_no_foreign_commands(self):
        file = pathlib.Path(self.folder.name) / "x.json"
        scenario = json.loads(peerpath("show", SCENARIO).stdout)
        scenario["description"] = "clear\x1b[2Jed"
        file.write_text(json.dumps(scenario))
        try:
            ours, theirs = pty.openpty()
        except OSError as why:
            self.skipTest(f"no terminal can be made here: {why}")
        command = [PROGRAM, "run", str(file), "--set", "run.measure=5us", "--set", "expect=[]", "--out", str(self.out)]
        done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, timeout=300,
                              env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
        os.close(theirs)
        shown = os.read(ours, 1000)
        os.close(ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"clear\\x1b[2Jed", shown)
        self.assertTrue(shown.startswith(b"\x1b[1m"), "our own colours are left")

    def test_a_damaged_result_is_refused_with_its_place(self):
        self.run_short()
        whole = json.loads((self.out / "results.json").read_text())
        for change, said in ((lambda r: r.pop("metrics"), "/metrics is missing"),
                             (lambda r: r["ledger"][0].update(rows={}), "/ledger/0/rows is not a list"),
                             (lambda r: r["traffic"][0].update(latency_fs=3), "/traffic/0/latency_fs is not an object"),
                             (lambda r: r.update(deadlock={"found_ns": 1, "blocked": [], "cycle": [5]}),
                              "/deadlock/cycle/0 is not the number of a blocked queue")):
            damaged = json.loads(json.dumps(whole))
            change(damaged)
            (self.out / "results.json").write_text(json.dumps(damaged))
            done = peerpath("report", str(self.out))
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"error: {self.out / 'results.json'}: is damaged: {said}\n"))


if __name__ == "__main__":
    unittest.main()
