#!/usr/bin/env python3
"""Runs what docs/guides/ci.md says: the commands, and the shell parts of both workflows.

usage: ci_guide_test.py PEERPATH SCENARIOS
"""

import json
import re
import shutil
import textwrap
import unittest
import xml.etree.ElementTree as xml

from guide_case import GuideCase, blocks


def shell_parts(workflow):
    """The scripts of a workflow that can run anywhere: all but those that install packages."""
    parts = [textwrap.dedent(text) for text in re.findall(r"run: \|\n((?:          .*\n)+)", workflow)]
    parts += [textwrap.dedent(text) for text in re.findall(r"(?m)^  (?:before_)?script:\n((?:    - .*\n)+)", workflow)]
    parts = [re.sub(r"(?m)^- ", "", part) for part in parts]
    return [part for part in parts if "apt-get" not in part]


class CiGuide(GuideCase):
    def setUp(self):
        """A user's repository of a few scenarios: the whole folder takes long, and another test runs it."""
        super().setUp()
        for folder in (self.root / "scenarios").iterdir():
            if folder.name not in ("hardware", "netgpu"):
                shutil.rmtree(folder)

    def test_commands_run(self):
        for block in blocks("ci.md"):
            done = self.shell(block)
            self.assertEqual(done.returncode, 0, block + done.stdout + done.stderr)

    def test_both_workflows_pass_and_notice_what_breaks(self):
        workflows = blocks("ci.md", "yaml")
        self.assertEqual(len(workflows), 2)
        for workflow, env in zip(workflows, ({"GITHUB_ACTIONS": "true"}, {})):
            parts = shell_parts(workflow)
            self.assertEqual(len(parts), 1, workflow)
            self.shell("peerpath test scenarios/netgpu --baseline scenarios/baseline.json --accept")
            done = self.shell(parts[0], **env)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(xml.parse(self.root / "peerpath.xml").getroot().get("failures"), "0")
            baseline = self.root / "scenarios" / "baseline.json"
            document = json.loads(baseline.read_text())
            document["scenarios"]["netgpu/zero_copy.json"]["rx.goodput_gbps"] = 1
            baseline.write_text(json.dumps(document))
            drifted = self.shell(parts[0], **env)
            self.assertEqual(drifted.returncode, 4, drifted.stderr)
            self.assertEqual("::error file=scenarios/netgpu/zero_copy.json" in drifted.stdout, bool(env))

    def test_the_baseline_of_the_guide_is_one(self):
        (self.root / "mine.json").write_text(blocks("ci.md", "json")[0])
        done = self.shell("peerpath test netgpu/zero_copy --baseline mine.json --accept")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = json.loads((self.root / "mine.json").read_text())
        self.assertEqual(kept["tolerances"], {"*": 0, "*.latency_*_ns": 2})
        self.assertEqual(set(kept["scenarios"]["scenarios/netgpu/zero_copy.json"]), {"rx.goodput_gbps", "rx.latency_p99_ns"})


if __name__ == "__main__":
    unittest.main()
