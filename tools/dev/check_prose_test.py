#!/usr/bin/env python3
"""The check of our prose finds what it should, in a scratch tree of a few files."""

import contextlib
import io
import json
import os
import tempfile
import unittest

import check_prose


class Prose(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        self.budget = os.path.join(self.root, "budget.json")
        self.allow(0)

    def allow(self, most, **others):
        with open(self.budget, "w", encoding="utf-8") as file:
            json.dump({**dict.fromkeys(check_prose.KINDS, most), **others}, file)

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def verdict(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = check_prose.main(["", self.root, "--budget", self.budget, *arguments])
        return status, out.getvalue()

    def test_each_pattern_is_found_and_plain_english_is_not(self):
        for bad in ("Of all randomness", "Shows what is left", "What a read takes", "It retries so many times",
                    "Somebody waits", "The copy is over.", "Runs held against each other", "It lets go of the tag",
                    "The value stands in the file", "The same of reads"):
            self.assertTrue(check_prose.hits(bad), bad)
        for good in ("Seed of every random stream", "What is the cause?", "The rate is over 40 Gb/s",
                     "Of course it does", "ACS stands for Access Control Services", "as long as it waits"):
            self.assertEqual(check_prose.hits(good), [], good)

    def test_texts_are_sorted_by_kind_and_literals_are_joined(self):
        self.put("models/a/x.hpp", '// Whoever reads\n// this.\nauto f() { return field("rate", &C::rate,\n'
                                   '  "Of "\n  "a link").from("so many"); }\n')
        self.put("models/a/metric_definitions.cpp", 'const char* m = "what is left here";\n')
        self.put("models/a/y.cpp", 'const char* m = "what is lost here"; // fine\n#include "what is this.hpp"\n')
        self.put("README.md", "Of text.\n\n```\nso many\n```\n")
        self.put("docs/a.md", "It stands here.\n")
        self.put("docs/style.md", "Of all.\n")
        found = {(p.kind, p.path) for p in check_prose.pieces(self.root) if check_prose.hits(p.text)}
        self.assertEqual(found, {("comments", "models/a/x.hpp"), ("options", "models/a/x.hpp"),
                                 ("metrics", "models/a/metric_definitions.cpp"), ("messages", "models/a/y.cpp"),
                                 ("readme", "README.md"), ("markdown", "docs/a.md")})

    def test_it_fails_above_the_budget_and_says_where(self):
        self.put("models/a/x.hpp", "// What is left of it.\n")
        status, out = self.verdict("--list", "comments")
        self.assertEqual(status, 1)
        self.assertIn("models/a/x.hpp:1", out)
        self.assertIn("ABOVE ITS BUDGET", out)
        self.allow(0, comments=5000)
        self.assertEqual(self.verdict()[0], 0)

    def test_the_budget_only_falls(self):
        self.put("models/a/x.hpp", "// What is left of it.\n")
        self.allow(5000, options=0)
        self.verdict("--lower")
        with open(self.budget, encoding="utf-8") as file:
            budget = json.load(file)
        self.assertEqual(budget["comments"], 2000)
        self.assertEqual(budget["options"], 0)
        self.put("models/a/x.hpp", "// What is. What is. What is.\n")
        self.verdict("--lower")
        with open(self.budget, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["comments"], 2000)


if __name__ == "__main__":
    unittest.main()
