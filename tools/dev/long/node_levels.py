#!/usr/bin/env python3
"""Holds hosts at level `node` to the same hosts at level `tlp`, 16 on a network, case by case.

    tools/dev/long/node_levels.py BUILD/bin/peerpath [--hosts 16] [--within 3] [--only TEXT]

Each case is a kind of host (one of the 16 is of it, or all are) and a traffic. Goodput, or the time of a collective,
may differ by so many percent.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ACS = '["SV","RR","CR","UF"]'
KINDS = {
    "good": [],
    "wrong switch": ["links.3.from=sw1"],
    "ACS redirect": [f"devices.sw0.acs={ACS}", f"devices.rc.acs={ACS}"],
    "MPS 128": ["devices.nic0.function.max_payload=128B", "devices.gpu0.function.max_payload=128B"],
    "one Gen4 x8": ["links.2.generation=4", "links.2.width=8"],
}
ROOT = pathlib.Path(__file__).resolve().parents[3]


def traffics(hosts):
    bad, last = 5, hosts - 1
    others = [f"h{i}" for i in range(hosts) if i != bad]
    turned = [f"h{(i + 1) % hosts}" for i in range(hosts)]
    write = {"name": "t", "size": "64KiB", "outstanding": 32}
    return {
        "incast": {"rdma": [{**write, "from": others[:8], "to": f"h{bad}"}]},
        "sends": {"rdma": [{**write, "from": f"h{bad}", "to": "h6"}]},
        "permutation": {"rdma": [{**write, "from": f"h0..h{last}", "to": turned}]},
        "half back": {"rdma": [{**write, "from": "h0", "to": f"h{bad}"},
                               {**write, "name": "u", "from": f"h{bad}", "to": "h6", "size": "64KiB", "outstanding": 1}]},
        "read": {"rdma": [{**write, "from": "h6", "to": f"h{bad}", "operation": "read"}]},
        "one at a time": {"rdma": [{**write, "from": "h6", "to": f"h{bad}", "size": "16KiB", "outstanding": 1}]},
        "all_reduce": {"collectives": [{"name": "t", "hosts": f"h0..h{last}", "bytes": "16MiB"}]},
        "all_to_all": {"collectives": [{"name": "t", "kind": "all_to_all", "hosts": f"h0..h{last}", "bytes": "16MiB"}]},
    }


def scenario(hosts, kind, everywhere, traffic, level):
    node = {"scenario": str(ROOT / "scenarios/hosts/training_host.json"), "level": level}
    names = f"h0..h{hosts - 1}"
    nodes = [{"hosts": names, **node, "set": kind}]
    if not everywhere:
        nodes = [{"hosts": ["h0..h4", f"h6..h{hosts - 1}"], **node}, {"hosts": "h5", **node, "set": kind}]
    collective = "collectives" in traffic
    return {
        "network": {"clos": {"racks": 2, "hosts": hosts // 2, "spines": hosts // 2}},
        "switches": {"path": "pinned"},
        "nodes": nodes,
        "run": {"measure": "20ms"} if collective else {"warmup": "400us", "measure": "1ms"},
        **traffic,
    }


def run(program, folder, what):
    file = folder / "s.json"
    file.write_text(json.dumps(what))
    began = time.time()
    subprocess.run([program, "run", file, "--out", folder / "out"], check=True, capture_output=True)
    took = time.time() - began
    metrics = json.loads((folder / "out/results.json").read_text())["metrics"]
    if isinstance(metrics, list):
        metrics = {m["name"]: m for m in metrics}
    return {n: m["value"] for n, m in metrics.items() if n in ("t.goodput_gbps", "u.goodput_gbps", "t.time_us")}, took


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("program", type=pathlib.Path)
    ask.add_argument("--hosts", type=int, default=16)
    ask.add_argument("--within", type=float, default=3.0, help="percent")
    ask.add_argument("--only", default="", help="cases whose name holds this text")
    args = ask.parse_args()
    far = cases = 0
    with tempfile.TemporaryDirectory() as folder:
        for everywhere in (False, True):
            for kind, changes in KINDS.items():
                for name, traffic in traffics(args.hosts).items():
                    case = f"{kind}, {'all' if everywhere else 'one'} of {args.hosts}, {name}"
                    if args.only not in case or (everywhere and kind == "good"):
                        continue
                    found = {}
                    for level in ("node", "tlp"):
                        found[level] = run(args.program.resolve(), pathlib.Path(folder),
                                           scenario(args.hosts, changes, everywhere, traffic, level))
                    for metric, tlp in found["tlp"][0].items():
                        node = found["node"][0][metric]
                        off = 100 * abs(node - tlp) / tlp
                        cases += 1
                        far += off > args.within
                        print(f"{case:45} {metric:15} node {node:9.3f}  tlp {tlp:9.3f}  {off:6.2f} %"
                              f"  {found['tlp'][1]:5.1f} s{'  FAR' if off > args.within else ''}", flush=True)
    print(f"{cases} cases, {far} more than {args.within:g} % apart")
    return 1 if far or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
