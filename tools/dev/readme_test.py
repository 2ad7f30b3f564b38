#!/usr/bin/env python3
"""README.md stays short, and its figures are those of the files that they come from.

usage: readme_test.py ROOT
"""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows(text):
    """The cells of each table row, without `code` marks."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|-")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def section(text, title):
    return re.split(r"(?m)^## ", text.split(f"## {title}\n", 1)[1], maxsplit=1)[0]


class Readme(unittest.TestCase):
    def test_it_has_at_most_900_words(self):
        self.assertLessEqual(len(README.split()), 900)

    def test_no_sentence_is_longer_than_30_words(self):
        prose = re.sub(r"(?ms)^```.*?^```", "", README)
        prose = "\n".join(line for line in prose.splitlines() if not line.startswith(("|", "#", "- ")))
        prose = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", prose))
        for sentence in re.split(r"(?<=[.:;?!])\s+", prose):
            self.assertLessEqual(len(re.findall(r"[\w'-]+", sentence)), 30, sentence)

    def test_the_result_is_the_one_that_its_scenario_expects(self):
        text = (ROOT / "scenarios/traps/silent_bounce.json").read_text(encoding="utf-8")
        expected = {e["metric"]: e for e in json.loads(re.sub(r"(?m)^\s*//.*$", "", text))["expect"]}
        shown = rows(section(README, "One result"))[1:]
        self.assertEqual([row[0] for row in shown], list(expected))
        for metric, value, _ in shown:
            bound = expected[metric]
            self.assertEqual(float(value.split()[-1]), bound.get("equals", bound.get("at_least")), metric)

    def test_each_exit_status_is_one_of_the_program(self):
        exits = (ROOT / "tools/peerpath/command_line/command.hpp").read_text(encoding="utf-8").split("enum class Exit", 1)[1]
        listed = [row[0] for row in rows(section(README, "Exit status"))[1:]]
        self.assertEqual(listed, re.findall(r" = (\d+)", exits.split("};", 1)[0]))

    def test_files_that_it_names_exist(self):
        for path in re.findall(r"\b((?:scenarios|tools|docs)/[\w./-]+\w)", README):
            self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
