"""Runs random scenarios and holds the results to what must be true of every run, and of runs that belong together.

usage: random_scenarios PEERPATH [--cases N] [--seed FIRST] [--relations N] [--only NAME] [--tries N]

A failure prints the seed, what is broken, the scenario with all left out that is not needed for it, and the command
that repeats it. Exit status 1 if anything is broken, or if hardly a scenario was valid.
"""

import argparse
import json
import random
import sys

import generate
import invariants
import relations
from program import Peerpath
from shrink import shrink


def broken(program, scenario, check, seed):
    """Sentences of one invariant or relation."""
    if check in relations.ALL:
        return list(check(program, scenario, random.Random(f"{check.__name__} {seed}")))
    run = program.run(scenario)
    if run.document is not None:
        return list(check(scenario, run))
    return [f"exit {run.status}: {run.said}"] if run.status != 2 and check is invariants.ends_well else []


def judge(program, seed, checks):
    """Checks that a seed's scenario breaks, with what they say, and whether it could be run."""
    program.forget()
    scenario = generate.scenario(seed)
    found = []
    for check in checks:
        said = broken(program, scenario, check, seed)
        if said:
            found.append((check, said))
    return scenario, found, program.run(scenario).status != 2


def report(program, seed, scenario, check, said, options):
    def still(smaller):
        program.forget()
        return bool(broken(program, smaller, check, seed))

    small = shrink(scenario, still, options.tries)
    program.forget()
    print(f"seed {seed}: {check.__name__}: {(check.__doc__ or '').strip()}")
    for line in (broken(program, small, check, seed) or said)[:5]:
        print(f"  {line}")
    print(f"the scenario, without what it does not take:\n{json.dumps(small)}")
    print(f"again: python3 -B tools/dev/random_scenarios {options.peerpath} --seed {seed} --cases 1 --only {check.__name__}\n",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peerpath")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--relations", type=int, default=2, help="of each case so many, taken in turn")
    parser.add_argument("--only", help="one invariant or relation")
    parser.add_argument("--tries", type=int, default=400, help="to make a failing scenario small")
    options = parser.parse_args()
    valid = failed = 0
    with Peerpath(options.peerpath) as program:
        for seed in range(options.seed, options.seed + options.cases):
            turn = [relations.ALL[(seed * options.relations + n) % len(relations.ALL)]
                    for n in range(min(options.relations, len(relations.ALL)))]
            checks = [*invariants.ALL, *turn]
            if options.only:
                checks = [c for c in (*invariants.ALL, *relations.ALL) if c.__name__ == options.only]
            scenario, found, runs = judge(program, seed, checks)
            valid += runs
            failed += bool(found)
            for check, said in found:
                report(program, seed, scenario, check, said, options)
    print(f"{options.cases} scenarios, {valid} valid, {failed} broke what must hold")
    return 1 if failed or valid < options.cases * 3 // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
