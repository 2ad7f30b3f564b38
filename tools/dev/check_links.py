#!/usr/bin/env python3
"""Fails, with file:line, on a relative link in a Markdown file that leads nowhere.

usage: check_links.py [--files] [ROOT]
  --files  lists the Markdown files and all files that they link to, from ROOT, instead
"""

import os
import re
import sys

IGNORED_FOLDERS = {"build", "node_modules", ".git", "shared"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def markdown_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in IGNORED_FOLDERS]
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".md"))


def links(path):
    """Line number, text and path of each relative link."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for target in LINK.findall(line):
                if not re.match(r"[a-z]+:|#", target):
                    yield number, target, os.path.join(os.path.dirname(path), target.split("#")[0])


def broken_links(path):
    for number, target, file in links(path):
        if not os.path.exists(file):
            yield f"{path}:{number}: {target} does not exist"


def linked_files(root):
    """The Markdown files, what they link to, and what stands in the folders that they link to."""
    for path in markdown_files(root):
        yield path
        for _, _, file in links(path):
            if os.path.isdir(file):
                yield from (entry.path for entry in os.scandir(file) if entry.is_file())
            elif os.path.exists(file):
                yield file


def main(argv):
    list_files = "--files" in argv
    argv = [argument for argument in argv if argument != "--files"]
    root = argv[1] if len(argv) > 1 else "."
    if list_files:
        print(*sorted({os.path.normpath(file) for file in linked_files(root)}), sep="\n")
        return 0
    files = list(markdown_files(root))
    problems = [problem for path in files for problem in broken_links(path)]
    print(*problems, f"{len(files)} Markdown files, {len(problems)} broken links", sep="\n")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
