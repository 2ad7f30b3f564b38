#!/usr/bin/env python3
"""Fits a proxy's preset to every third point of datasets of gpunet.

usage: fit.py PEERPATH DATASET ... [--start PRESET] [--rounds N] [--step FACTOR] [--keys KEY,...] [-o FILE]

What decides is the mean of the logarithms' absolute errors, of each at most 0.25, against all the datasets, which hold the
same points. A round plays these (`peerpath validate FILE --calibration PRESET --json`) with each key by itself times the
step, takes the logarithms to be linear in those of the keys, and goes where the error is least, each key by the step twice at most;
a smaller step where that does not help. Prints each change for the better. `peerpath validate DATASET
--calibration PRESET` says what the other points make of the result.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
START = ROOT / "scenarios/hardware/gpunet_proxy_h100.json"
KEYS = ["sweep", "look", "entry", "gather", *(f"{channel}.{key}" for channel in ("unix", "tcp") for key in
        ("send", "receive", "empty", "send_rate", "receive_rate", "latency")), "block.call", "block.stream_call",
        "block.release", "block.poll"]
MOST = 0.25  # of one point's error: what no key explains does not decide


def read_preset(file):
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    return json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))


def place(preset, key):
    """The object that holds the key, and its last name."""
    *folders, name = key.split(".")
    for folder in folders:
        preset = preset[folder]
    return preset, name


def scaled(preset, factors):
    changed = json.loads(json.dumps(preset))
    for key, factor in factors.items():
        holder, name = place(changed, key)
        number, unit = re.fullmatch(r"([\d.]+)(\D+)", holder[name]).groups()
        holder[name] = f"{max(1, round(float(number) * factor))}{unit}"
    return changed


def played_points(dataset):
    """The dataset's first line, and those that `validate` plays."""
    lines = [json.loads(line) for line in pathlib.Path(dataset).read_text(encoding="utf-8").splitlines()]
    return lines[0], [line for line in lines if line.get("experiment") in ("gpunet_echo", "gpunet_stream")]


def key_of(point):
    return point["experiment"], tuple(sorted(point["settings"].items()))


class Judge:
    """The points of the datasets that are fitted: of each three the second, as `validate` counts."""

    def __init__(self, peerpath, datasets):
        self.peerpath = peerpath
        self.first, points = played_points(datasets[0])
        self.points = points[1::3]
        self.measured = {key_of(point): [] for point in self.points}
        for dataset in datasets:
            for point in played_points(dataset)[1]:
                self.measured.get(key_of(point), []).append(math.log(point["median"]))

    def play(self, preset, key=""):
        """Logarithms by point; of the one channel alone that the key is about. None: a value that no scenario may have."""
        points = [point for point in self.points
                  if key.partition(".")[0] not in ("unix", "tcp") or point["settings"]["tcp"] == key.startswith("tcp")]
        with tempfile.TemporaryDirectory() as folder:
            trial, dataset = pathlib.Path(folder) / "preset.json", pathlib.Path(folder) / "points.jsonl"
            trial.write_text(json.dumps(preset), encoding="utf-8")
            numbered = [point | {"point": n + 1} for n, point in enumerate(points)]
            counts = collections.Counter(point["experiment"] for point in points)
            plan = [part | {"points": counts[part["experiment"]]} for part in self.first["plan"] if part["experiment"] in counts]
            lines = [self.first | {"plan": plan}, *numbered, {"end": len(numbered), "failed": 0, "seconds": 0}]
            dataset.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            done = subprocess.run([self.peerpath, "validate", dataset, "--calibration", trial, "--json", "--quiet"],
                                  capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            return None
        return {key_of(point): math.log(point["played_ns"]) for point in json.loads(done.stdout)["points"]}

    def error(self, played):
        errors = [min(MOST, abs(played[key] - measured)) for key, all_measured in self.measured.items() for measured in all_measured]
        return sum(errors) / len(errors)


def descend(judge, played, slopes, limit):
    """Logarithms of the factors, each at most `limit`, with which the error is least if the slopes hold: by one key at a time."""
    steps, now, best = dict.fromkeys(slopes, 0.0), dict(played), judge.error(played)
    size = limit / 2
    while size > limit / 40:
        better = False
        for key, slope in slopes.items():
            for change in (size, -size):
                if abs(steps[key] + change) > limit * 1.001:
                    continue
                trial = now | {point: now[point] + change * value for point, value in slope.items()}
                if judge.error(trial) < best * 0.9999:
                    steps[key] += change
                    now, best, better = trial, judge.error(trial), True
        if not better:
            size /= 2
    return steps


def search(judge, preset, keys, rounds, step):
    played = judge.play(preset)
    best = judge.error(played)
    print(f"start: {100 * best:.2f} %", flush=True)
    for _ in range(rounds):
        slopes = {}
        for key in keys:
            changed = judge.play(scaled(preset, {key: step}), key)
            if changed:
                slopes[key] = {point: (value - played[point]) / math.log(step) for point, value in changed.items()}
        for limit in (2 * math.log(step), math.log(step), math.log(step) / 2):
            steps = descend(judge, played, slopes, limit)
            candidate = scaled(preset, {key: math.exp(value) for key, value in steps.items()})
            found = judge.play(candidate)
            if not found or judge.error(found) >= best:
                continue
            preset, played, best = candidate, found, judge.error(found)
            changes = ", ".join(f"{key} x{math.exp(value):.2f}" for key, value in steps.items() if value)
            print(f"{100 * best:.2f} %: {changes}", flush=True)
            break
        step = math.sqrt(step)
    return preset


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peerpath")
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--start", default=START)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step", type=float, default=1.25)
    parser.add_argument("--keys", type=lambda text: text.split(","), default=KEYS)
    parser.add_argument("-o", "--out")
    options = parser.parse_args()
    if options.step <= 1:
        sys.exit("--step is a factor above 1")
    judge = Judge(options.peerpath, options.datasets)
    found = search(judge, read_preset(options.start), options.keys, options.rounds, options.step)
    text = json.dumps(found, indent=2) + "\n"
    if options.out:
        pathlib.Path(options.out).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
