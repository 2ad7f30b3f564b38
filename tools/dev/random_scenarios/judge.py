"""The loop of a judge: random scenarios from seeds, what holds of each run, and a small scenario for what does not."""

import argparse
import json
import random

from program import Peerpath
from shrink import shrink


class Judge:
    """`generate`, `invariants` and `relations` are its modules; `parts` and `without` say how a scenario is made smaller."""

    def __init__(self, name, generate, invariants, relations, parts, without, options=("--check-protocol",)):
        self.name, self.generate, self.invariants, self.relations = name, generate, invariants, relations
        self.parts, self.without, self.options = parts, without, options

    def broken(self, program, scenario, check, seed):
        """Sentences of one invariant or relation."""
        if check in self.relations.ALL:
            return list(check(program, scenario, random.Random(f"{check.__name__} {seed}")))
        run = program.run(scenario)
        if run.document is not None:
            return list(check(scenario, run))
        return [f"exit {run.status}: {run.said}"] if run.status != 2 and check is self.invariants.ends_well else []

    def judge(self, program, seed, checks):
        """Checks that a seed's scenario breaks, with what they say, and whether it could be run."""
        program.forget()
        scenario = self.generate.scenario(seed)
        found = []
        for check in checks:
            said = self.broken(program, scenario, check, seed)
            if said:
                found.append((check, said))
        return scenario, found, program.run(scenario).status != 2

    def report(self, program, seed, scenario, check, said, options):
        def still(smaller):
            program.forget()
            return bool(self.broken(program, smaller, check, seed))

        small = shrink(scenario, still, options.tries, self.parts, self.without)
        program.forget()
        print(f"seed {seed}: {check.__name__}: {(check.__doc__ or '').strip()}")
        for line in (self.broken(program, small, check, seed) or said)[:5]:
            print(f"  {line}")
        print(f"the scenario, without what it does not take:\n{json.dumps(small)}")
        print(f"again: python3 -B tools/dev/{self.name} {options.peerpath} --seed {seed} --cases 1 --only {check.__name__}\n",
              flush=True)

    def main(self, about):
        parser = argparse.ArgumentParser(description=about.splitlines()[0])
        parser.add_argument("peerpath")
        parser.add_argument("--cases", type=int, default=100)
        parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
        parser.add_argument("--relations", type=int, default=2, help="of each case so many, taken in turn")
        parser.add_argument("--only", help="one invariant or relation")
        parser.add_argument("--tries", type=int, default=400, help="to make a failing scenario small")
        options = parser.parse_args()
        valid = failed = 0
        every = self.relations.ALL
        with Peerpath(options.peerpath, *self.options) as program:
            for seed in range(options.seed, options.seed + options.cases):
                turn = [every[(seed * options.relations + n) % len(every)] for n in range(min(options.relations, len(every)))]
                checks = [*self.invariants.ALL, *turn]
                if options.only:
                    checks = [c for c in (*self.invariants.ALL, *every) if c.__name__ == options.only]
                scenario, found, runs = self.judge(program, seed, checks)
                valid += runs
                failed += bool(found)
                for check, said in found:
                    self.report(program, seed, scenario, check, said, options)
        print(f"{options.cases} scenarios, {valid} valid, {failed} broke what must hold")
        return 1 if failed or valid < options.cases * 3 // 4 else 0
