#!/usr/bin/env python3
"""Tests of `peerpath validate --all` with some of its sets; all of them where asked for.

usage: validate_all_test.py PEERPATH SCENARIOS [--whole]
  --whole  every set, every point: the results that are kept are those of the program. Takes minutes.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
ROOT = pathlib.Path()
WHOLE = False


def validate(*words, cwd=None):
    return subprocess.run([PROGRAM, "validate", "--all", *words], capture_output=True, text=True, cwd=cwd)


class ValidateAll(unittest.TestCase):
    def setUp(self):
        """A folder in which the program finds copies of evidence.json and of the presets, and the sets themselves."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        (self.here / "scenarios").symlink_to(ROOT / "scenarios")
        data = self.here / "validation" / "data"
        (data / "presets").mkdir(parents=True)
        for name in ("evidence.json", "evidence_results.json"):
            (data.parent / name).write_text((ROOT / "validation" / name).read_text())
        for entry in (ROOT / "validation/data").iterdir():
            if entry.name != "presets":
                (data / entry.name).symlink_to(entry)
        for preset in (ROOT / "validation/data/presets").glob("*.json"):
            (data / "presets" / preset.name).write_text(preset.read_text())
        self.evidence = data.parent / "evidence.json"
        self.preset = data / "presets" / "h200.json"

    def change(self, file, change):
        document = json.loads(file.read_text())
        change(document)
        file.write_text(json.dumps(document))

    def test_the_kept_results_are_those_of_the_program(self):
        done = validate("--whole" if WHOLE else "--only=h200/one_gpu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^pass  h200/one_gpu +laws: median error ")
        self.assertNotRegex(done.stdout, r"(?m)^(FAIL|GROWN|changed:|new:)")
        self.assertIn("h200/one_gpu", done.stderr)  # progress

    def test_a_constant_that_is_wrong_fails(self):
        def slower(document):
            document["parameters"]["link_share"]["value"] *= 0.9
        self.change(self.preset, slower)
        done = validate("--only", "h200/one_gpu", cwd=self.here)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^FAIL +h200/one_gpu +laws: 95 % of errors below ")
        self.assertRegex(done.stdout, r"(?m)^changed: h200/one_gpu, laws: median error: ")

    def test_a_listed_deviation_is_no_failure_until_it_grows(self):
        def hold_to(size):
            def change(document):
                document["held_to"]["gpu"]["laws: median error"] = 0.5
                document["sets"][0]["known"] = {"laws: median error": {"size": size, "reason": "planted"}}
            self.change(self.evidence, change)
            return validate("--only", "h200/one_gpu", "--json", cwd=self.here)
        done = hold_to(3.0)
        row = json.loads(done.stdout)["rows"][0]
        self.assertEqual((done.returncode, row["verdict"], row["listed"]["reason"]), (0, "known", "planted"))
        done = hold_to(0.6)
        self.assertEqual((done.returncode, json.loads(done.stdout)["rows"][0]["verdict"]), (1, "GROWN"))

    def test_a_calibration_of_another_version_says_what_to_do(self):
        self.change(self.preset, lambda document: document["parameters"].pop("link_share"))
        done = validate("--only", "h200/one_gpu", cwd=self.here)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("h200.json: was written for other parameters (link_share is missing): fit the dataset again with "
                      "`peerpath calibrate DATASET -o FILE`", done.stderr)

    def test_what_it_cannot_do_is_refused(self):
        for words, message in ((("--only", "nowhere"), "no set of"), (("--write",), "--write requires --whole")):
            done = validate(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)
        done = subprocess.run([PROGRAM, "validate", "pcie-bench", "--whole"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--whole requires --all; this is pcie-bench", done.stderr)


if __name__ == "__main__":
    PROGRAM, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve().parent
    WHOLE = sys.argv[3:] == ["--whole"]
    unittest.main(argv=sys.argv[:1])
