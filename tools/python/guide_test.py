#!/usr/bin/env python3
"""Runs the Python of docs/guides/python.md, block after block, in a folder where nothing else is.

usage: guide_test.py PYTHON_FOLDER SOURCE_FOLDER PEERPATH
"""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest

FOLDER, SOURCE, PROGRAM = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
sys.path.insert(0, FOLDER)
GUIDE = pathlib.Path(SOURCE, "docs", "guides", "python.md").read_text()

if importlib.util.find_spec("numpy") is None:
    print("skipped: python3-numpy is missing")
    sys.exit(3)


class Guide(unittest.TestCase):
    def test_its_blocks_run_one_after_the_other_and_say_what_they_promise(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 4)
        said, names = io.StringIO(), {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(said):
            for number, block in enumerate(blocks, 1):
                exec(compile(block, f"python.md, block {number}", "exec"), names)
        text = said.getvalue()
        self.assertRegex(text, r"(?m)^1\d\d\.\d Gb/s, limited by \w")
        self.assertRegex(text, r"(?m)^rx\.latency_p50_ns \d")
        self.assertRegex(text, r"packets, p99\.9 \d+ ns, 100% in all")
        self.assertRegex(text, r"best: .* 1\d\d\.\d Gb/s\n\(2, 2, 5\)")
        self.assertRegex(text, r"<dict>:5:\d+: /devices/nic0/queus: .*queues")


if __name__ == "__main__":
    unittest.main()
