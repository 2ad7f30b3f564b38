#!/usr/bin/env python3
"""Fits a proxy's preset to every third point of a dataset of gpunet, by a search along one key at a time.

usage: fit.py PEERPATH DATASET [--start PRESET] [--rounds N] [--step FACTOR] [--keys KEY,...] [-o FILE]

Each trial plays the whole dataset (`peerpath validate DATASET --calibration PRESET --json`); what decides is the mean of
the logarithms' absolute errors over the fitted points alone. A key is multiplied and divided by the step as long as
that helps; each round halves the step. Prints each change for the better, and the error of the points that were not
fitted beside it.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
START = ROOT / "scenarios/hardware/gpunet_proxy_h100.json"
KEYS = ["sweep", "look", "gather", *(f"{channel}.{key}" for channel in ("unix", "tcp") for key in
        ("send", "receive", "empty", "send_rate", "receive_rate", "latency")), "block.call", "block.release", "block.poll"]


def read_preset(file):
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    return json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))


def place(preset, key):
    """The object that holds the key, and its last name."""
    *folders, name = key.split(".")
    for folder in folders:
        preset = preset[folder]
    return preset, name


def scaled(preset, key, factor):
    changed = json.loads(json.dumps(preset))
    holder, name = place(changed, key)
    number, unit = re.fullmatch(r"([\d.]+)(\D+)", holder[name]).groups()
    holder[name] = f"{max(1, round(float(number) * factor))}{unit}"
    return changed


class Judge:
    def __init__(self, peerpath, dataset):
        self.peerpath, self.dataset = peerpath, dataset

    def __call__(self, preset):
        """(error of the fitted points, median error of the others in percent)."""
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(preset, file)
            file.flush()
            done = subprocess.run([self.peerpath, "validate", self.dataset, "--calibration", file.name, "--json", "--quiet"],
                                  capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            return math.inf, math.inf  # a value that no scenario may have
        document = json.loads(done.stdout)
        errors = [abs(math.log(p["played_ns"] / p["measured_ns"])) for p in document["points"] if p["fitted"]]
        return sum(errors) / len(errors), document["median_error_percent"]


def search(judge, preset, keys, rounds, step):
    best, others = judge(preset)
    print(f"start: {100 * best:.2f} % of the fitted points, median of the others {others:.1f} %", flush=True)
    for _ in range(rounds):
        for key in keys:
            for factor in (step, 1 / step):
                while True:
                    candidate = scaled(preset, key, factor)
                    if candidate == preset:
                        break
                    error, others = judge(candidate)
                    if error >= best * 0.9999:
                        break
                    preset, best = candidate, error
                    holder, name = place(preset, key)
                    print(f"{key} = {holder[name]}: {100 * best:.2f} %, others {others:.1f} %", flush=True)
        step = math.sqrt(step)
    return preset


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peerpath")
    parser.add_argument("dataset")
    parser.add_argument("--start", default=START)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--step", type=float, default=1.25)
    parser.add_argument("--keys", type=lambda text: text.split(","), default=KEYS)
    parser.add_argument("-o", "--out")
    options = parser.parse_args()
    if options.step <= 1:
        sys.exit("--step is a factor above 1")
    judge = Judge(options.peerpath, options.dataset)
    found = search(judge, read_preset(options.start), options.keys, options.rounds, options.step)
    text = json.dumps(found, indent=2) + "\n"
    if options.out:
        pathlib.Path(options.out).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
