#!/usr/bin/env python3
"""Fails, with file:line, on a relative link in a Markdown file that leads nowhere.

usage: check_links.py [ROOT]
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


def broken_links(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:|#", target):
                    continue
                if not os.path.exists(os.path.join(os.path.dirname(path), target.split("#")[0])):
                    yield f"{path}:{number}: {target} does not exist"


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    files = list(markdown_files(root))
    problems = [problem for path in files for problem in broken_links(path)]
    print(*problems, f"{len(files)} Markdown files, {len(problems)} broken links", sep="\n")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
