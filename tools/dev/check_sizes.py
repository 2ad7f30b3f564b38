#!/usr/bin/env python3
"""Fails when a source file grows past what one reads in a sitting, or defines a macro.

usage: check_sizes.py [ROOT]

No file has more than 500 code lines (neither blank nor comment), their median is below 80, headers are guarded by
`#pragma once`, and C++ defines no macro. C that joins QEMU or the kernel, and the C interface, follow their own
conventions and are only measured.
"""

import re
import statistics
import sys

import source_tree

MOST = 500
MEDIAN = 80
SCRIPTS = (".py", ".sh", ".lua", ".js", ".mjs", ".ts")
FOREIGN_CONVENTIONS = ("include/peerpath/c/", "qemu-devices/")


def code_lines(path, text):
    if path.endswith(source_tree.CXX):
        lines = source_tree.without_comments(text).splitlines()
    else:
        marker = {".lua": "--", ".py": "#", ".sh": "#"}.get(path[path.rfind("."):], "//")
        lines = [line for line in text.splitlines() if not line.strip().startswith(marker)]
    return sum(1 for line in lines if line.strip())


def style_problems(path, text):
    if not path.endswith(source_tree.CXX) or path.startswith(FOREIGN_CONVENTIONS):
        return
    for number, line in enumerate(source_tree.without_comments(text).splitlines(), 1):
        if re.match(r"\s*#\s*define\b", line):
            yield f"{path}:{number}: defines a macro; use a constant, a function or a template"
    if path.endswith(".hpp") and "#pragma once" not in text:
        yield f"{path}:1: has no #pragma once"


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    problems, sizes = [], {}
    for path in source_tree.files(root, source_tree.CXX + SCRIPTS):
        text = source_tree.read(root, path)
        sizes[path] = code_lines(path, text)
        if sizes[path] > MOST:
            problems.append(f"{path}:1: {sizes[path]} code lines, at most {MOST} are allowed")
        problems += style_problems(path, text)
    median = statistics.median(sizes.values())
    if median >= MEDIAN:
        problems.append(f"median file has {median:g} code lines, it should be below {MEDIAN}")
    largest = max(sizes, key=sizes.get)
    print(*problems, sep="\n")
    print(f"{len(sizes)} files, {sum(sizes.values())} code lines, median {median:g}, largest {sizes[largest]}: {largest}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
