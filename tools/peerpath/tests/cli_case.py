"""What tests of the program share: PEERPATH and SCENARIOS from the command line, and a folder for each test."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCENARIO = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1)) + "/netgpu/zero_copy.json"


def peerpath(*words, env=None):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300, env=env)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name) / "out"

    def tearDown(self):
        self.folder.cleanup()

    def run_short(self, *words):
        return peerpath("run", SCENARIO, "--set", "run.measure=20us", "--out", str(self.out), *words)

    def scenario(self, text):
        file = pathlib.Path(self.folder.name) / "wrong.json"
        file.write_text(text)
        return str(file)
