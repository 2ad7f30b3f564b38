"""Compares the results of runs that find their window with those of windows twenty times as long.

usage: window_judge PEERPATH [--cases N] [--seed FIRST] [--within PERCENT] [--verbose]
       window_judge PEERPATH --shipped SCENARIOS [--within PERCENT] [--verbose]

Runs each scenario twice: once as it is, and once with the warm-up that was found and a window 20 times as long, or 4 times
where 20 would take more than 10 s of a processor. Each goodput, and each median latency that has an interval, of the first
run lies within its 95 % interval plus 1 % of that of the second. Exit status 1 if fewer cases than 97 % hold that, if one that
does not carries no warning that it has not settled and is not explained below, or if less than a third of random cases
is overloaded. --shipped: all scenarios of a folder that can find a window, with their windows removed.
"""

import argparse
import json
import pathlib
import resource
import sys

import generate

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
import program  # noqa: E402

MARGIN = 0.01
MOST_SECONDS = 10
JUDGED = (".goodput_gbps", ".latency_p50_ns", ".latency_p50_us")
UNSETTLED = ("has not settled", " grow by ", " shrink by ", "interval is", "is unknown")
program.MOST_SECONDS = 600  # some runs simulate seconds, beside other tests
EXPLAINED = {}  # name of a case: why it differs although nothing warns


class Failed(Exception):
    pass


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Verdict:
    """Of one case: values that differ, whether it is warned of, whether it is overloaded, and the window in us."""

    def __init__(self, different, warned=False, overloaded=False, window=0):
        self.different, self.warned, self.overloaded, self.window = different, warned, overloaded, window


class Judge:
    def __init__(self, peerpath):
        self.program = peerpath

    def run(self, scenario):
        before = processor_seconds()
        status, text, said = self.program.call(scenario, "--json", "--quiet", "--out", self.program.folder / "out")
        if status not in (0, 1):  # 1: a deadlock that the scenario is about
            raise Failed(f"exit {status}: {said.strip()}")
        return json.loads(text), processor_seconds() - before

    def judge(self, scenario):
        """A Verdict; None for a run that finds no window."""
        found, seconds = self.run(scenario)
        if not found.get("steady", {}).get("found"):
            return None
        window, warmup = found["simulated_ns"], found["warmup_ns"]
        times = 20 if seconds * 20 < MOST_SECONDS else 4
        longer = dict(scenario, run={"warmup": f"{warmup:.0f}ns", "measure": f"{times * window:.0f}ns"})
        reference = {m["name"]: m["value"] for m in self.run(longer)[0]["metrics"]}
        warnings = found["steady"]["warnings"]
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
        return Verdict(different, any(text in w for w in warnings for text in UNSETTLED),
                       any("exceeds" in w for w in warnings), window / 1000)


def random_cases(options):
    for seed in range(options.seed, options.seed + options.cases):
        kind, scenario = generate.scenario(seed)
        yield f"{kind} {seed}", scenario


def shipped_cases(folder):
    root = pathlib.Path(folder).resolve()
    for file in sorted(root.glob("*/*.json")):
        text = file.read_text()
        if file.parent.name not in ("hardware", "invalid") and any(f'"{key}"' in text for key in ("traffic", "rdma", "tcp")):
            yield str(file.relative_to(root)), {"extends": str(file), "run": {"warmup": None, "measure": None}, "expect": []}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peerpath")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--shipped", metavar="SCENARIOS", help="folder of scenarios to judge instead of random ones")
    parser.add_argument("--within", type=float, default=97, help="percent of the cases that have to hold")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    options = parser.parse_args()
    cases = list(shipped_cases(options.shipped) if options.shipped else random_cases(options))
    judged = held = silent = overloaded = 0
    with program.Peerpath(options.peerpath) as peerpath:
        judge = Judge(peerpath)
        for name, scenario in cases:
            before = processor_seconds()
            try:
                verdict = judge.judge(scenario)
            except Failed as error:
                verdict = Verdict([str(error)])
            if verdict is None:
                continue
            judged += 1
            held += not verdict.different
            overloaded += verdict.overloaded
            excuse = ", warned" if verdict.warned else f", explained: {EXPLAINED[name]}" if name in EXPLAINED else ""
            if options.verbose:
                print(f"{name}: {verdict.window:.0f} us, {processor_seconds() - before:.2f} s"
                      f"{', warned' if verdict.warned else ''}", flush=True)
            if verdict.different:
                silent += not excuse
                print(f"{name}{excuse or ', NOT WARNED'}: " + "; ".join(verdict.different))
                print(f"  {json.dumps(scenario)}", flush=True)
    print(f"{held} of {judged} windows hold ({100 * held / max(judged, 1):.1f} %); of the others {silent} carry no "
          f"warning; {overloaded} are overloaded")
    few = not options.shipped and 3 * overloaded < judged
    return 1 if silent or few or judged == 0 or 100 * held < options.within * judged else 0


if __name__ == "__main__":
    sys.exit(main())
