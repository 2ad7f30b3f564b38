"""Asks for each traffic entry of random scenarios whether what is named as its limit is one: whether twice of it gives more.

usage: bottleneck_judge PEERPATH [--cases N] [--seed FIRST] [--what-if N] [--networks N] [--list]

Each entry of a scenario has a limit of its own planted (generate.py). The resource that peerpath names for it is doubled in
the file (double.py, which knows nothing of how peerpath looks for limits), and the entry's goodput has to rise by 5 % in a plain
run; so has it for "the arrival rate" where twice as much is offered. 98 % of all entries have to agree. Of the first N scenarios
each row of --what-if is held to a plain run as well: the change of goodput has to be within the row's interval and 1 %. The same
of so many networks (networks.py), with the rows of --what-if of each.
"""

import argparse
import json
import pathlib
import re
import sys

import double
import generate
import networks

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
from program import Peerpath  # noqa: E402

LEAST_GAIN = 5  # percent
MOST_GAIN = 10_000  # percent, which --what-if says of an entry that had nothing
LEAST_SHARE = 98  # percent of all entries


class Answers:
    """What a run says of its entries: goodput and limit."""

    def __init__(self, document, entries):
        metrics = {m["name"]: m["value"] for m in document["metrics"]}
        self.goodput = {entry: metrics[f"{entry}.goodput_gbps"] for entry in entries}
        held = {entry: limit["name"] for limit in document["limits"] for entry in limit["traffic"]} if "limits" in document else (
            held_back(document["bottleneck"]))
        self.limit = {entry: held.get(entry, "the arrival rate") for entry in entries}
        self.what_if = document.get("what_if", {}).get("suspects", [])


def held_back(sentence):
    """Limits by entry out of a sentence: of programs that say it nowhere else."""
    limits = {}
    for part in re.split(r"; (?=[^;]*; it holds back)", sentence):
        name, _, entries = part.partition("; it holds back ")
        for entry in re.split(r", ", entries.split(";")[0]):
            limits[entry] = re.split(r", busy|, all in use|, missing|, full|, which|, too|: too", name)[0]
    return limits


def run(program, scenario, *options):
    status, text, said = program.call(scenario, "--json", "--quiet", "--out", program.folder / "out", *options)
    if status not in (0, 1):
        raise RuntimeError(f"exit {status}: {said.strip()}")
    entries = scenario["rdma"] if "network" in scenario else scenario["traffic"]
    return Answers(json.loads(text), [entry["name"] for entry in entries])


def gain(before, after):
    return (after / before - 1) * 100 if before else (0 if after == 0 else 1e9)


def judge_limits(program, scenario, answers, kind):
    """For each entry what is wrong with its limit; "" if nothing is. `kind`: the module that doubles."""
    reruns = {}
    for entry, limit in answers.limit.items():
        key = (limit, entry if limit == "the arrival rate" else "")
        if key not in reruns:
            other = kind.double(scenario, limit, entry)
            reruns[key] = None if other is None else run(program, other)
        if reruns[key] is None:
            yield entry, f"\"{limit}\" cannot be doubled"
            continue
        more = gain(answers.goodput[entry], reruns[key].goodput[entry])
        yield entry, "" if more >= LEAST_GAIN else f"twice \"{limit}\" gives {more:+.1f} %"


def judge_what_if(program, scenario, kind):
    """For each row of --what-if what is wrong with it."""
    answers = run(program, scenario, "--what-if")
    for row in answers.what_if:
        if row["name"] == "the arrival rate" or row["doubled"]["problem"]:
            continue
        other = kind.double(scenario, row["name"], "") or kind.double(scenario, row["name"] + " up", "")
        if other is None:
            continue
        after = run(program, other)
        for flow in row["doubled"]["flows"]:
            entry = flow["traffic"]
            more = min(gain(answers.goodput[entry], after.goodput[entry]), MOST_GAIN)
            far = abs(more - flow["goodput_percent"])
            yield "" if far <= flow["half_width"] + 1 else (
                f"{row['name']}: {entry} {flow['goodput_percent']:+.2f} % (+-{flow['half_width']:.2f}), in a run of its own {more:+.2f} %")


class Tally:
    """Counts, and prints what disagrees."""

    def __init__(self, program, options):
        self.program, self.options = program, options
        self.entries = self.wrong = self.rows = self.wrong_rows = 0

    def judge(self, what, scenario, planted, kind, with_rows):
        answers = run(self.program, scenario)
        for entry, said in judge_limits(self.program, scenario, answers, kind):
            self.entries += 1
            self.wrong += bool(said)
            if said or self.options.list:
                print(f"{what}: {entry}, planted {planted[entry]}: {said or answers.limit[entry]}", flush=True)
        for said in judge_what_if(self.program, scenario, kind) if with_rows else ():
            self.rows += 1
            self.wrong_rows += bool(said)
            if said:
                print(f"{what}: what if: {said}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peerpath")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others follow")
    parser.add_argument("--what-if", type=int, default=0, help="scenarios whose rows are held to plain runs")
    parser.add_argument("--networks", type=int, default=0, help="random networks, and their rows")
    parser.add_argument("--list", action="store_true", help="each entry, what was planted and what was named")
    options = parser.parse_args()
    with Peerpath(options.peerpath) as program:
        tally = Tally(program, options)
        for number, seed in enumerate(range(options.seed, options.seed + options.cases)):
            tally.judge(f"seed {seed}", *generate.scenario(seed), double, number < options.what_if)
        for seed in range(options.seed, options.seed + options.networks):
            tally.judge(f"network {seed}", *networks.scenario(seed), networks, True)
    print(f"{options.cases} scenarios, {options.networks} networks, {tally.entries} entries, {tally.entries - tally.wrong} agree; "
          f"{tally.rows} rows of what-if, {tally.wrong_rows} wrong")
    return 1 if tally.wrong * 100 > tally.entries * (100 - LEAST_SHARE) or tally.wrong_rows else 0


if __name__ == "__main__":
    sys.exit(main())
