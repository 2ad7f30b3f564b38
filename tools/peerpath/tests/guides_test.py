#!/usr/bin/env python3
"""Runs the commands of the guides that have no test of their own, and finds every command and option that a page names.

usage: guides_test.py PEERPATH SCENARIOS
"""

import re
import unittest

from cli_case import peerpath
from guide_case import GUIDES, GuideCase, blocks

PAGES = sorted([GUIDES.parents[1] / "README.md", *GUIDES.glob("*.md"), *GUIDES.parent.glob("*.md")])
# A command and its words, in a block or between backquotes, up to what ends it in a shell.
COMMAND = re.compile(r"(?:^|[`$( ])peerpath ([a-z]+)((?: [^`\n|;&#]*)?)", re.MULTILINE)


class Guides(GuideCase):
    def shown(self, guide):
        """(command, what it prints) of each block that shows both; `...` stands for any text."""
        for block in blocks(guide):
            if block.startswith("$ "):
                command, _, output = block[2:].partition("\n")
                yield command, output

    def test_the_scenario_of_write_a_scenario_holds(self):
        (self.root / "mine.json").write_text(blocks("write-a-scenario.md", "jsonc")[0])
        done = self.shell("peerpath run mine.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_commands_of_read_results_run_and_the_last_one_fails_as_it_should(self):
        commands = "".join(blocks("read-results.md")).splitlines()
        self.assertEqual(len(commands), 7)
        for command in commands:
            done = self.shell(command)
            self.assertEqual(done.returncode, 1 if "--fail-if" in command else 0, command + done.stdout + done.stderr)

    def test_find_the_bottleneck_prints_what_it_shows(self):
        shown = list(self.shown("find-the-bottleneck.md"))
        self.assertEqual(len(shown), 3)
        for command, output in shown:
            done = self.shell(command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for line in filter(None, output.splitlines()):
                pattern = r"\s+".join(re.escape(word).replace(re.escape("..."), ".*") for word in line.split())
                self.assertRegex(done.stdout, pattern, command)

    def test_commands_of_size_a_training_network_run(self):
        first, *others = blocks("size-a-training-network.md")
        self.assertEqual(len(others), 7)
        for script in [*first.splitlines(), *others]:
            done = self.shell(script)
            self.assertIn(done.returncode, (0, 1) if "dcqcn=off" in script else (0,), script + done.stdout + done.stderr)
            self.assertTrue(done.stdout, script)

    def test_every_command_and_option_that_a_page_names_is_there(self):
        known = {name: peerpath(name, "--help").stdout for name in re.findall(r"(?m)^  ([a-z]+)  ", peerpath("--help").stdout)}
        self.assertIn("sweep", known)
        found = 0
        for page in PAGES:
            for name, words in COMMAND.findall(page.read_text()):
                if name not in known:
                    continue  # of running text: "peerpath answers"
                for option in re.findall(r"(?<= )--[a-z][a-z-]*", words):
                    self.assertIn(option, known[name], f"{page.name}: peerpath {name}{words}")
                    found += 1
        self.assertGreater(found, 60)


if __name__ == "__main__":
    unittest.main()
