#!/usr/bin/env python3
"""The size check refuses what it should, in a scratch tree of a few files."""

import contextlib
import io
import os
import tempfile
import unittest

import check_sizes


class Sizes(unittest.TestCase):
    def verdict(self, **contents):
        """Exit status and output for a tree with models/core/NAME.hpp of the given contents."""
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "models/core"))
            for name, text in contents.items():
                with open(os.path.join(root, f"models/core/{name}.hpp"), "w", encoding="utf-8") as file:
                    file.write(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                return check_sizes.main(["", root]), out.getvalue()

    def test_a_small_tree_passes(self):
        self.assertEqual(self.verdict(a="#pragma once\nint a;\n")[0], 0)

    def test_a_long_file_fails_and_comments_do_not_count(self):
        small = {f"s{i}": "#pragma once\n" for i in range(3)}
        self.assertEqual(self.verdict(**small, a="#pragma once\n" + "// a\n" * 600 + "int a;\n" * 499)[0], 0)
        status, out = self.verdict(**small, a="#pragma once\n" + "int a;\n" * 500)
        self.assertEqual(status, 1)
        self.assertIn("a.hpp:1: 501 code lines", out)

    def test_a_large_median_fails(self):
        status, out = self.verdict(a="#pragma once\n" + "int a;\n" * 79)
        self.assertEqual(status, 1)
        self.assertIn("median", out)

    def test_a_macro_fails_and_one_in_a_comment_does_not(self):
        status, out = self.verdict(a="#pragma once\n#define A 1\n")
        self.assertEqual(status, 1)
        self.assertIn("a.hpp:2: defines a macro", out)
        self.assertEqual(self.verdict(a="#pragma once\n// #define A 1\n")[0], 0)

    def test_a_header_without_guard_fails(self):
        self.assertIn("no #pragma once", self.verdict(a="int a;\n")[1])


if __name__ == "__main__":
    unittest.main()
