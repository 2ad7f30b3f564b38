#!/usr/bin/env python3
"""No shipped scenario warns unless its `expect` names the warning, and few do.

usage: shipped_warnings.py SCENARIOS RESULTS [--declared N]

RESULTS holds NAME/results.json of each scenario, as the tests `scenario.*` leave them. A warning is expected if the
scenario has `{"metric": "warning", "is": "..."}` with its beginning. At most N scenarios (15) declare one.
"""

import argparse
import json
import pathlib
import sys


def shipped(folder):
    """Names of scenarios; presets in hardware/ are parts of them."""
    names = (path.relative_to(folder).with_suffix("").as_posix() for path in sorted(folder.rglob("*.json")))
    return [name for name in names if not name.startswith(("hardware/", "invalid/"))]


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1].split("\n", 1)[0])
    parser.add_argument("scenarios", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--declared", type=int, default=15)
    arguments = parser.parse_args(argv[1:])
    seen, declaring, problems = 0, [], []
    for name in shipped(arguments.scenarios):
        path = arguments.results / name / "results.json"
        if not path.is_file():
            continue  # waived: its equipment is missing here
        results = json.loads(path.read_text(encoding="utf-8"))
        seen += 1
        expected = [e["is"] for e in results["scenario"].get("expect", []) if e["metric"] == "warning"]
        if expected:
            declaring.append(name)
        for warning in results.get("steady", {}).get("warnings", []) + results.get("warnings", []):
            if not warning.startswith(tuple(expected)):
                problems.append(f"{name}: {warning}")
    if len(declaring) > arguments.declared:
        problems.append(f"{len(declaring)} scenarios declare warnings, at most {arguments.declared} may: {declaring}")
    print(*problems, sep="\n")
    print(f"{seen} scenarios, {len(declaring)} declare a warning, {len(problems)} problems")
    return 1 if problems or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
