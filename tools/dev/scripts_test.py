#!/usr/bin/env python3
"""The scripts that judge others are judged here: counting of results, and the comparison of two builds."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

JUNIT = """<testsuite>
  <testcase name="good" status="run"/>
  <testcase name="bad" status="fail"><failure message=""/></testcase>
  <testcase name="waived" status="notrun"><skipped message="SKIP_RETURN_CODE=3"/></testcase>
  <testcase name="unbuilt" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="off" status="disabled"/>
</testsuite>"""

# A stand-in for peerpath: writes results.json as run.quantum and its own name tell it to.
STAND_IN = """#!/bin/sh
[ "$1" = run ] && [ "$3" = --out ] && [ "$5" = --loop ] && [ "$7" = --set ] || exit 2
echo '{"tlps": 1}' > "$4/results.json"
case "$0:$6 $8" in
  *drifts:"plain run.quantum=10us") echo '{"tlps": 2}' > "$4/results.json" ;;
  *dies:*) echo "no such device" >&2; exit 70 ;;
esac
"""


class Counting(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def total(self, *options):
        done = subprocess.run([HERE / "junit.py", "sum", *options, self.folder], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_counts_are_the_last_line_and_an_unbuilt_test_has_failed(self):
        (self.folder / "a.xml").write_text(JUNIT)
        status, lines = self.total()
        self.assertEqual((status, lines[-1]), (1, "1 passed, 2 failed, 2 skipped"))
        self.assertIn("failed: a: unbuilt", lines)

    def test_a_part_that_could_not_run_has_failed(self):
        (self.folder / "a.xml").write_text('<testsuite><testcase name="good" status="run"/></testsuite>')
        self.assertEqual(self.total()[0], 0)
        status, lines = self.total("--broken", "1")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_nothing_run_is_no_success(self):
        self.assertEqual(self.total()[0], 1)

    def test_added_cases_are_counted(self):
        for name, outcome in (("x", "passed"), ("y", "failed"), ("z", "skipped")):
            subprocess.run([HERE / "junit.py", "case", self.folder / "b.xml", name, outcome, "<why> & how"], check=True)
        self.assertEqual(self.total()[1][-1], "1 passed, 1 failed, 1 skipped")


class Determinism(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for script in ("check-determinism", "junit.py"):
            (self.folder / "tools/dev").mkdir(parents=True, exist_ok=True)
            shutil.copy(HERE / script, self.folder / "tools/dev" / script)
        for scenario in ("netgpu/a.json", "hardware/preset.json"):
            path = self.folder / "scenarios" / scenario
            path.parent.mkdir(parents=True)
            path.write_text("{}")
        self.before = self.folder / "before/netgpu/a/results.json"
        self.before.parent.mkdir(parents=True)
        self.before.write_text('{"tlps": 1}\n')

    def compare(self, *names):
        programs = []
        for name in names:
            path = self.folder / name
            path.write_text(STAND_IN)
            path.chmod(0o755)
            programs.append(path)
        command = [self.folder / "tools/dev/check-determinism", self.folder / "before", *programs, self.folder / "out.xml"]
        return subprocess.run(command, capture_output=True, text=True)

    def test_equal_programs_pass_and_presets_are_left_out(self):
        done = self.compare("good", "other")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 scenarios on both event loops, at 3 quanta and with 2 programs: 0 differ", done.stdout)

    def test_one_quantum_that_differs_is_named(self):
        done = self.compare("drifts", "good")
        self.assertEqual(done.returncode, 1)
        self.assertIn("drifts --loop plain --set run.quantum=10us differs", done.stdout)
        self.assertIn('<failure', (self.folder / "out.xml").read_text())

    def test_another_compiler_that_differs_is_named(self):
        self.before.write_text('{"tlps": 3}\n')
        done = self.compare("good", "other")
        self.assertEqual(done.returncode, 1)
        self.assertIn('line 1: {"tlps": 3} / {"tlps": 1}', done.stdout)

    def test_results_that_are_missing_or_without_traffic_are_failures(self):
        self.before.write_text('{"tlps": 0}\n')
        self.assertIn("nothing crossed any link", self.compare("good", "other").stdout)
        self.before.unlink()
        done = self.compare("good", "other")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no", done.stdout)

    def test_a_program_that_fails_is_a_failure(self):
        done = self.compare("good", "dies")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 70: no such device", done.stdout)


if __name__ == "__main__":
    unittest.main()
