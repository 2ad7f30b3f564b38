"""Which files of the project are source, and what stands in them: shared by the checks in this folder."""

import functools
import os
import re

SOURCE_ROOTS = ("include", "models", "qemu-devices", "validation", "tools", "scenarios")
IGNORED_FOLDERS = {"build", "node_modules", "__pycache__", "dist"}
CXX = (".hpp", ".cpp", ".h", ".c", ".cu", ".hip")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)


def files(root, suffixes):
    """Paths relative to `root`, sorted, of source files that end in one of `suffixes`."""
    found = []
    for top in SOURCE_ROOTS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if f not in IGNORED_FOLDERS]
            found += [os.path.relpath(os.path.join(folder, n), root) for n in names if n.endswith(suffixes)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


@functools.cache
def without_comments(text):
    """C or C++ text with comments blanked and lines kept; string literals stay."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith(("//", "/*")) else token
    return COMMENT_OR_STRING.sub(blank, text)


@functools.cache
def includes(text):
    """(line, header, is_quoted) of each #include."""
    found = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(2), match.group(1) == '"'))
    return found


def is_test(path):
    """Tests, benchmarks (in time or instructions) and fuzzers, and the folders that hold nothing else."""
    stem = os.path.splitext(os.path.basename(path))[0]
    named = stem.endswith(("_test", "_bench", "_fuzz", "_instructions", "_test_main")) or stem.startswith("test_")
    return named or any(f"/{folder}/" in path for folder in ("testing", "tests", "differential", "bench"))
