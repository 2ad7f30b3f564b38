#!/usr/bin/env python3
"""Adds up test results in JUnit form, the form in which every part of tools/test leaves them.

usage: junit.py sum [--broken N] FOLDER       names what failed; last line `N passed, N failed, N skipped`
       junit.py case FILE NAME passed|failed|skipped [MESSAGE]      adds one result to FILE
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree as xml


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped")
    if skipped is not None and "Unable to find" in (skipped.get("message") or ""):
        return "failed"  # ctest calls a test that was never built "not run"
    if skipped is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def add(arguments):
    tree = xml.ElementTree(xml.Element("testsuite"))
    if arguments.file.exists():
        tree = xml.parse(arguments.file)
    case = xml.SubElement(tree.getroot(), "testcase", name=arguments.name)
    kind = {"failed": "failure", "skipped": "skipped"}.get(arguments.outcome)
    if kind:
        xml.SubElement(case, kind, message=arguments.message)
    tree.write(arguments.file)
    return 0


def total(arguments):
    count = {"passed": 0, "failed": arguments.broken, "skipped": 0}
    for report in sorted(arguments.folder.glob("*.xml")):
        for case in xml.parse(report).getroot().iter("testcase"):
            result = outcome(case)
            count[result] += 1
            if result != "passed":
                print(f"{result}: {report.stem}: {case.get('name')}")
    if not any(count.values()):
        print("no test ran")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**count))
    return 0 if count["failed"] == 0 and count["passed"] > 0 else 1


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    summing = commands.add_parser("sum")
    summing.add_argument("--broken", type=int, default=0)
    summing.add_argument("folder", type=pathlib.Path)
    summing.set_defaults(run=total)
    case = commands.add_parser("case")
    case.add_argument("file", type=pathlib.Path)
    case.add_argument("name")
    case.add_argument("outcome", choices=["passed", "failed", "skipped"])
    case.add_argument("message", nargs="?", default="")
    case.set_defaults(run=add)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
