#!/usr/bin/env python3
"""Holds the traffic kind gpunet against measured sets: each point is played as a scenario.

usage: judge.py PEERPATH DATASET ... [--at-most PERCENT] [--show]

Of a set, every third point (the second, fifth, eighth ...) is what the proxy's preset was fitted to; the others judge it.
Exit 1 if the median error of the others is above --at-most.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
STREAM_CALL = "3495480ps"  # gsend and grecv in streams, where blocks also make and check their pattern: fitted


def points(dataset):
    """Of the experiments that are modelled, in the set's order."""
    for line in pathlib.Path(dataset).read_text(encoding="utf-8").splitlines():
        point = json.loads(line)
        if point.get("experiment") in ("gpunet_echo", "gpunet_stream") and "median" in point:
            yield point


def scenario(point):
    settings = point["settings"]
    echo = point["experiment"] == "gpunet_echo"
    flows = settings["connections"] if echo else settings["streams"]
    proxy = {"ring": "64KiB" if echo and flows > 1 else "1MiB",
             "block": {"in_flight": "32KiB" if not echo and flows <= 4 else "8KiB"}}
    if not echo:
        proxy["block"]["call"] = STREAM_CALL
    first = dict(proxy, gpu="gpu1" if settings.get("gpus", 1) == 2 or echo else "gpu0")
    ns = point["median"]
    messages = 10 if echo else max(6, min(200, (8 << 20) // (settings["bytes"] * flows)))
    return {
        "extends": str(ROOT / "scenarios/hardware/gpunet_two_gpus.json"),
        "devices": {"p0": proxy, "p1": first},
        "traffic": [{"name": "it", "kind": "gpunet", "from": "dram" if echo else "p0", "to": "p1",
                     "pattern": "echo" if echo else "stream", "channel": "tcp" if settings["tcp"] else "unix",
                     "flows": flows, "sizes": f"{settings['bytes']}B"}],
        "run": {"warmup": f"{int(4 * ns if echo else ns * messages / 3) + 50000}ns",
                "measure": f"{int(messages * ns) + 50000}ns", "seed": 1},
    }


def play(peerpath, point):
    """Nanoseconds, as the set has them: of a round, or of a message of each stream."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "point.json"
        file.write_text(json.dumps(scenario(point)), encoding="utf-8")
        ran = subprocess.run([peerpath, "run", str(file), "--json", "--out", folder], capture_output=True, text=True,
                             check=False)
        if ran.returncode != 0:
            sys.exit(f"{point['settings']}: exit {ran.returncode}\n{ran.stderr}")
    metrics = {m["name"]: m["value"] for m in json.loads(ran.stdout)["metrics"]}
    if point["experiment"] == "gpunet_echo":
        return metrics["it.latency_p50_ns"]
    return point["bytes"] * 8 / metrics["it.goodput_gbps"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peerpath")
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--at-most", type=float, default=10)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    bad = False
    for dataset in options.datasets:
        measured = list(points(dataset))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            played = list(pool.map(lambda point: play(options.peerpath, point), measured))
        errors = [abs(found / point["median"] - 1) * 100 for point, found in zip(measured, played)]
        for number, (point, found) in enumerate(zip(measured, played)):
            if options.show:
                print(f"{point['experiment']:14} {json.dumps(point['settings']):62} {point['median']:10.0f} ns, model "
                      f"{found:10.0f}, {100 * (found / point['median'] - 1):+6.1f} %{' fitted' * (number % 3 == 1)}")
        fitted, others = errors[1::3], [e for n, e in enumerate(errors) if n % 3 != 1]
        median = statistics.median(others)
        inside = 100 * sum(e <= 10 for e in others) / len(others)
        print(f"{pathlib.Path(dataset).name}: {len(others)} points not fitted: median error {median:.1f} %, "
              f"{inside:.0f} % of them within 10 %, farthest {max(others):.0f} %; fitted ones: {statistics.median(fitted):.1f} %")
        for kind in ("gpunet_echo", "gpunet_stream"):
            for tcp in (0, 1):
                some = [e for n, (p, e) in enumerate(zip(measured, errors))
                        if n % 3 != 1 and p["experiment"] == kind and p["settings"]["tcp"] == tcp]
                print(f"  {kind} {'tcp' if tcp else 'unix'}: {statistics.median(some):.1f} % of {len(some)}")
        bad = bad or median > options.at_most
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
