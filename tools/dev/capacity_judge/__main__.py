"""Holds what flows reach in random topologies to what links, turns, credits and tags allow, worked out from the specification.

usage: capacity_judge PEERPATH [--cases N] [--seed FIRST] [--only NAME] [--fabric MODE] [--tries N] [--stop]
       capacity_judge PEERPATH --scenario FILE

Knows nothing of how peerpath computes: rates, overheads and DLLPs are in links.py, shares in shares.py, round trips in
closed_form.py. A failure prints the seed, what is broken, the scenario without what it does not take, and the command that
repeats it. Exit status 1 if anything is broken.
"""

import argparse
import itertools
import json
import pathlib
import sys

import generate
import verdicts

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
from program import Peerpath  # noqa: E402
from shrink import shrink  # noqa: E402


class Judge:
    def __init__(self, program, fabric, only):
        self.program, self.only = program, only
        self.options = ["--json", "--quiet", "--out", program.folder / "out", *(["--fabric", fabric] if fabric else [])]

    def broken(self, scenario):
        """What a scenario's run breaks: (name of the rule, sentence)."""
        status, text, said = self.program.call(scenario, *self.options)
        if status != 0:
            return [("runs", f"exit {status}: {said.strip()}")]
        metrics = {m["name"]: m["value"] for m in json.loads(text)["metrics"]}
        return [(rule, line) for rule, line in verdicts.judge(scenario, metrics) if self.only in (None, rule)]

    def still(self, rule):
        """Whether a smaller scenario breaks the same rule; what the judge cannot work out does not count."""
        def check(smaller):
            try:
                return any(name == rule for name, _ in self.broken(smaller))
            except (KeyError, ValueError, StopIteration):
                return False
        return check


def report(judge, seed, scenario, found, options):
    rule = found[0][0]
    small = shrink(scenario, judge.still(rule), options.tries)
    print(f"seed {seed}: {rule}: {verdicts.RULES.get(rule, '')}")
    for _, line in [f for f in judge.broken(small) if f[0] == rule][:5] or found[:5]:
        print(f"  {line}")
    print(f"the scenario, without what it does not take:\n{json.dumps(small)}")
    print(f"again: python3 -B tools/dev/capacity_judge {options.peerpath} --seed {seed} --cases 1\n", flush=True)


def seeds(options):
    """So many from the first on; of those at which the one rule applies, if it is named."""
    endless = ["deep", "fair"]
    kinds = {"round_trip": ["shallow"], "max_min": ["fair"], "share": endless, "work_conserving": endless,
             "spreading": ["shared"], "equal": ["shared"]}.get(options.only, generate.KINDS)
    matter = (seed for seed in itertools.count(options.seed) if generate.kind(seed) in kinds)
    return itertools.islice(matter, options.cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peerpath")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--only", help="one rule", choices=sorted(verdicts.RULES))
    parser.add_argument("--fabric", help="how peerpath computes")
    parser.add_argument("--tries", type=int, default=100, help="to make a failing scenario small")
    parser.add_argument("--stop", action="store_true", help="at the first failure")
    parser.add_argument("--scenario", help="judge this one alone")
    options = parser.parse_args()
    with Peerpath(options.peerpath) as program:
        judge = Judge(program, options.fabric, options.only)
        if options.scenario:
            found = judge.broken(json.loads(pathlib.Path(options.scenario).read_text()))
            for rule, line in found:
                print(f"{rule}: {line}")
            return 1 if found else 0
        failed = flows = 0
        for number, seed in enumerate(seeds(options), 1):
            scenario = generate.scenario(seed)
            flows += len(scenario["traffic"])
            found = judge.broken(scenario)
            failed += bool(found)
            if found:
                report(judge, seed, scenario, found, options)
                if options.stop:
                    return 1
            if sys.stderr.isatty():
                print(f"\r{number} of {options.cases}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    print(f"{options.cases} scenarios, {flows} flows, {failed} broke what links, turns, credits and tags allow")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
