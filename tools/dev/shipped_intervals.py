#!/usr/bin/env python3
"""Runs every shipped scenario with the window that peerpath finds, and holds what it says of it: the 95 % interval of
each goodput and each median latency is at most `run.precision` (1 %) wide on either side, or a warning names the metric.
What is not steady by its nature (a number of bytes, captures, events, a deadlock) says that it was not judged.

usage: shipped_intervals.py PEERPATH SCENARIOS [--as-shipped]

--as-shipped: with the windows that the files give, where they do.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

JUDGED = ("goodput_gbps", "latency_p50_ns")
PRECISION = 0.01


def unsettled(metrics):
    """Names of judged metrics whose interval is wider, or that have none."""
    for metric in metrics:
        value = float(metric["value"] or 0)
        if metric["name"].rpartition(".")[2] not in JUDGED or value == 0:
            continue
        if float(metric.get("half_width") or 0) > PRECISION * value or "half_width" not in metric:
            yield metric["name"]


def warned_of(metric, text):
    """By its name; or a latency with its entry, whose queue grows for ever."""
    entry, _, measure = metric.rpartition(".")
    grows = f"{entry}: offered load exceeds capacity" in text or f"{entry} has not settled: offered load exceeds" in text
    return metric in text or (grows and measure.startswith("latency"))


def play(program, scenario, folder, given):
    file = folder / "scenario.json"
    # Whether a scenario is of a device alone shows when it is run: those have no traffic.
    file.write_text(json.dumps({"extends": str(scenario), "run": given, "expect": []}))
    done = subprocess.run([program, "run", str(file), "--json", "--out", str(folder / "out")], capture_output=True,
                          text=True)
    return json.loads(done.stdout) if done.returncode in (0, 1) else done.stderr  # 1: a deadlock that it is about


def main(program, scenarios, option=None):
    given = {} if option == "--as-shipped" else {"warmup": None, "measure": None}
    root = pathlib.Path(scenarios).resolve()
    files = [f for f in sorted(root.glob("*/*.json")) if '"traffic"' in f.read_text() and f.parent.name != "hardware"]
    silent, narrow, warned, unjudged, begin = [], 0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            result = play(program, file, pathlib.Path(folder), given)
            name = str(file.relative_to(root))
            if isinstance(result, str):
                silent.append(name + ": " + result.strip().splitlines()[0])
                continue
            if not result["steady"]["judged"]:
                unjudged += 1
                continue
            text = "\n".join(result["steady"]["warnings"])
            wide = list(unsettled(result["metrics"]))
            silent += [name + ": " + metric for metric in wide if not warned_of(metric, text)]
            narrow += not wide
            warned += bool(wide)
    print(f"{len(files)} scenarios in {time.monotonic() - begin:.0f} s: {narrow} within {PRECISION:.0%}, "
          f"{warned} warned of, {unjudged} not judged, {len(silent)} faults")
    for fault in silent:
        print("  " + fault)
    return 1 if silent or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
