#!/usr/bin/env python3
"""Counts turns of phrase that docs/style.md avoids, and fails where a kind of text has more than its budget.

usage: check_prose.py [ROOT] [--worst N] [--list KIND] [--lower]

Kinds of text: options (the descriptions of `field(...)`), metrics (the files that define metrics), messages (all other
C++ strings of three words or more), comments (C++, Python, CMake), readme, markdown. Budgets are in prose_budget.json,
in hits per 10,000 words. --worst prints that many files with the highest rates; --list prints each hit of a kind;
--lower writes the present rates into the budget where they are below it. Budgets are never raised.
"""

import argparse
import json
import math
import os
import re
import sys

import source_tree

PATTERNS = {
    "noun clause with what": r"((^|[.:;] )what\b|\bwhat (is|are|was|were|has|have|had|of|the|a|an|it|they|comes?|goes|came|went|waits|"
                             r"arrives|passes|takes)\b)(?![^.?!]*\?)",
    "sentence that begins with Of": r"(^|[.:;!?] )Of (?!course\b)",
    "so many, so much": r"\bso (many|much|often|long)\b(?! as\b)",
    "somebody, whoever": r"\b(somebody|whoever|whomever|anybody|everybody)\b",
    "is over": r"\b(is|are|was|were|be) over\b(?! \d)",
    "hold against": r"\b(hold|holds|held)( \w+)? against\b",
    "let go": r"\b(let|lets|letting) go\b",
    "stand for be": r"\b(stands?|stood)\b(?! for\b)",
    "the same of": r"\bthe same of\b",
}
MATCHERS = {name: re.compile(pattern, 0 if name.startswith("sentence") else re.IGNORECASE) for name, pattern in PATTERNS.items()}
BUDGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prose_budget.json")
KINDS = ("options", "metrics", "messages", "comments", "readme", "markdown")
METRIC_FILES = re.compile(r"(^|/)metric_definitions\.cpp$|(^|/)metrics\.cpp$")
TOKEN = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<delimiter>\w*)\((?P<raw>.*?)\)(?P=delimiter)"|"""
                   r"""(?P<string>"(?:\\.|[^"\\\n])*")|(?P<char>'(?:\\.|[^'\\\n])')|(?P<number>\d[\w'.]*)|"""
                   r"""(?P<name>\w+)|(?P<space>\s+)|(?P<other>.)""", re.S)
INCLUDE = re.compile(r"^\s*#\s*include.*$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


class Piece:
    """A text of one kind and the line of its file that it begins at."""

    def __init__(self, kind, path, line, text):
        self.kind, self.path, self.line, self.text = kind, path, line, text


def unescaped(literal):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), literal[1:-1])


def cxx_texts(text):
    """(what, line, text): what is "comment", "option" or "string". Adjacent literals and comment lines are joined."""
    text = INCLUDE.sub("", text)
    found, call, line = [], [], 1
    previous = None  # the token before this one, blanks left out
    for token in TOKEN.finditer(text):
        sort, value = token.lastgroup, token.group(0)
        at, line = line, line + value.count("\n")
        if sort == "space":
            if value.count("\n") > 1 and previous == "comment":
                previous = None
            continue
        if sort == "comment":
            words = value.strip("/*<! \n")
            if previous == "comment":
                found[-1][2] += " " + words
            else:
                found.append(["comment", at, words])
            previous = "comment"
            continue
        if sort in ("string", "raw"):
            words = token.group("raw") if sort == "raw" else unescaped(value)
            if previous == "string":
                found[-1][2] += words
            else:
                option = bool(call) and call[-1] == ["field", 2]
                found.append(["option" if option else "string", at, words])
            previous = "string"
            continue
        if value in "([{" and sort == "other":
            call.append([previous if value == "(" else "", 0])
        elif value in ")]}" and sort == "other" and call:
            call.pop()
        elif value == "," and call:
            call[-1][1] += 1
        previous = value
    return found


def script_comments(text):
    found, last = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"(^|\s)#(?!!)\s?(.*)", line)
        if not match:
            continue
        if last == number - 1 and found and not line[:match.start()].strip():
            found[-1][1] += " " + match.group(2)
        else:
            found.append([number, match.group(2)])
        last = number
    return found


def paragraphs(text):
    text = FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    line = 1
    for part in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ))", text):
        words = re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>", "", re.sub(r"^[\s|*#-]+", "", part)).replace("\n", " ")
        if words.strip():
            yield line, words.strip()
        line += part.count("\n")


def pieces(root):
    for path in source_tree.files(root, source_tree.CXX):
        tested = source_tree.is_test(path)
        for what, line, text in cxx_texts(source_tree.read(root, path)):
            if what == "comment":
                yield Piece("comments", path, line, text)
            elif what == "option":
                yield Piece("options", path, line, text)
            elif not tested and len(re.findall(r"[A-Za-z]{2,}", text)) >= 3:
                yield Piece("metrics" if METRIC_FILES.search(path) else "messages", path, line, text)
    for path in source_tree.files(root, (".py", "CMakeLists.txt", ".cmake")):
        for line, text in script_comments(source_tree.read(root, path)):
            yield Piece("comments", path, line, text)
    for path in markdown(root):
        for line, text in paragraphs(source_tree.read(root, path)):
            yield Piece("readme" if path == "README.md" else "markdown", path, line, text)


def markdown(root):
    """Every page but docs/style.md, which quotes what it advises against."""
    found = [name for name in sorted(os.listdir(root)) if name.endswith(".md")]
    for top in ("docs",) + source_tree.SOURCE_ROOTS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if f not in source_tree.IGNORED_FOLDERS]
            found += [os.path.relpath(os.path.join(folder, n), root) for n in sorted(names) if n.endswith(".md")]
    return [path for path in found if path != "docs/style.md"]


def hits(text):
    return [(name, m.group(0).strip()) for name, matcher in MATCHERS.items() for m in matcher.finditer(text)]


def words(text):
    return len(re.findall(r"[A-Za-z][A-Za-z'-]*", text))


def rate(count, total):
    return 10000 * count / total if total else 0.0


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1].split("\n", 1)[0])
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--worst", type=int, default=5)
    parser.add_argument("--list", choices=KINDS, dest="listed")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--budget", default=BUDGET)
    arguments = parser.parse_args(argv[1:])
    total, count, files = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0), {}
    for piece in pieces(arguments.root):
        found, length = hits(piece.text), words(piece.text)
        total[piece.kind] += length
        count[piece.kind] += len(found)
        of_file = files.setdefault((piece.kind, piece.path), [0, 0])
        of_file[0] += len(found)
        of_file[1] += length
        if piece.kind == arguments.listed:
            for name, match in found:
                print(f"{piece.path}:{piece.line}: {name}: {match!r} in {piece.text[:160]!r}")
    with open(arguments.budget, encoding="utf-8") as file:
        budget = json.load(file)
    failed = False
    for kind in KINDS:
        now = rate(count[kind], total[kind])
        verdict = "" if now <= budget[kind] else "  ABOVE ITS BUDGET"
        failed |= now > budget[kind]
        print(f"{kind}: {count[kind]} in {total[kind]} words, {now:.1f} per 10,000; budget {budget[kind]:g}{verdict}")
        if arguments.lower:
            budget[kind] = min(budget[kind], math.ceil(now))
    if arguments.lower:
        with open(arguments.budget, "w", encoding="utf-8") as file:
            json.dump(budget, file, indent=2)
            file.write("\n")
    worst = sorted(files.items(), key=lambda item: -item[1][0] * item[1][0] / max(item[1][1], 1))
    for (kind, path), (found, length) in worst[:arguments.worst]:
        if found:
            print(f"worst: {path}: {found} in {length} words of {kind}")
    if failed:
        print("docs/style.md says what to write instead; --list KIND prints each place")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
