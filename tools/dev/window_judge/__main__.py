"""Holds what runs say that look for their window to windows twenty times as long.

usage: window_judge PEERPATH [--cases N] [--seed FIRST] [--within PERCENT]

Runs each scenario twice: once as it is, and once with the warm-up that was found and a window 20 times as long, or 4 times
where 20 would take more than 10 s. Each goodput, and each median latency that has an interval, of the first run lies within its
95 % interval plus 1 % of that of the second. Exit status 1 if fewer cases than 97 % hold that, or if one that does not carries no warning that
it has not settled.
"""

import argparse
import json
import pathlib
import sys
import time

import generate

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
from program import Peerpath  # noqa: E402

MARGIN = 0.01
MOST_SECONDS = 10
JUDGED = (".goodput_gbps", ".latency_p50_ns", ".latency_p50_us")
UNSETTLED = ("has not settled", " grow by ", " shrink by ", "interval is", "is unknown")


class Failed(Exception):
    pass


class Judge:
    def __init__(self, program):
        self.program = program

    def run(self, scenario):
        started = time.monotonic()
        status, text, said = self.program.call(scenario, "--json", "--quiet", "--out", self.program.folder / "out")
        if status != 0:
            raise Failed(f"exit {status}: {said.strip()}")
        return json.loads(text), time.monotonic() - started

    def judge(self, scenario):
        """Sentences on all values that differ, whether it is warned of, whether it is overloaded, and the window in us."""
        found, seconds = self.run(scenario)
        window, warmup = found["simulated_ns"], found["warmup_ns"]
        times = 20 if seconds * 20 < MOST_SECONDS else 4
        longer = dict(scenario, run={"warmup": f"{warmup:.0f}ns", "measure": f"{times * window:.0f}ns"})
        reference = {m["name"]: m["value"] for m in self.run(longer)[0]["metrics"]}
        warnings = found.get("steady", {}).get("warnings", [])
        overloaded = any("exceeds" in w for w in warnings)
        different = []
        for metric in found["metrics"]:
            name, value = metric["name"], metric["value"]
            right = reference.get(name)
            entry = name.rpartition(".")[0]
            if not name.endswith(JUDGED) or "." in entry or value is None or right is None:
                continue
            if "latency" in name and "half_width" not in metric:
                continue
            if abs(value - right) > metric.get("half_width", 0) + MARGIN * abs(right):
                different.append(f"{name} {value} ± {metric.get('half_width', 0)}, in {times} times the window {right}")
        warned = any(text in w for w in warnings for text in UNSETTLED)
        return different, warned, overloaded, window / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peerpath")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--within", type=float, default=97, help="percent of the cases that have to hold")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    options = parser.parse_args()
    held = silent = overloaded = 0
    with Peerpath(options.peerpath) as program:
        judge = Judge(program)
        for seed in range(options.seed, options.seed + options.cases):
            kind, scenario = generate.scenario(seed)
            started = time.monotonic()
            try:
                different, warned, over, window = judge.judge(scenario)
            except Failed as error:
                different, warned, over, window = [str(error)], False, False, 0
            held += not different
            silent += bool(different) and not warned
            overloaded += over
            if options.verbose:
                print(f"{seed} {kind}: {window:.0f} us, {time.monotonic() - started:.2f} s{', warned' if warned else ''}")
            if different:
                print(f"seed {seed}, {kind}{', warned' if warned else ', NOT WARNED'}: " + "; ".join(different))
                print(f"  {json.dumps(scenario)}", flush=True)
    print(f"{held} of {options.cases} windows hold ({100 * held / options.cases:.1f} %); of the others {silent} carry no "
          f"warning; {overloaded} are overloaded")
    return 1 if silent or 100 * held < options.within * options.cases else 0


if __name__ == "__main__":
    sys.exit(main())
