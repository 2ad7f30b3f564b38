"""Random networks in which each entry has a limit of its own, and what doubles such a limit in the file."""

import copy
import random
import re

from double import scaled


def scenario(seed):
    """Pairs of hosts at one switch, or at two with a cable between them that one pair takes. And what was planted by entry."""
    draw = random.Random(f"network limits {seed}")
    pairs = draw.randint(1, 5)
    trunk = draw.random() < 0.5
    hosts = [f"h{n}" for n in range(2 * pairs)]
    switches = ["sw0", "sw1"] if trunk else ["sw0"]
    cables, slow, entries, planted = [], [], [], {}
    if trunk:
        cables.append({"from": "sw0", "to": "sw1", "rate": f"{draw.randint(20, 60)}Gbps"})
    for n in range(pairs):
        source, sink = hosts[2 * n], hosts[2 * n + 1]
        crosses = trunk and n == 0
        plant = "cable" if crosses else draw.choice(("cable", "in_flight", "slow_host", "nothing"))
        narrow = draw.randint(0, 1) if plant == "cable" and not crosses else None
        for end, host in enumerate((source, sink)):
            rate = draw.randint(20, 60) if end == narrow else 400
            cables.append({"from": host, "to": "sw1" if crosses and end else "sw0", "rate": f"{rate}Gbps"})
        entry = {"name": f"e{n}", "from": [source], "to": [sink], "size": "64KiB", "qps": 2, "outstanding": 8}
        if plant == "in_flight":
            entry.update(size=draw.choice(("4KiB", "8KiB")), qps=1, outstanding=1)
        elif plant == "slow_host":
            slow.append({"hosts": [sink], "rate": f"{draw.randint(20, 60)}Gbps"})
        elif plant == "nothing":
            entry.update(qps=1, interval=f"{draw.randint(8, 20)}us")
        entries.append(entry)
        planted[f"e{n}"] = plant
    out = {"description": f"random network limits {seed}", "network": {"hosts": hosts, "switches": switches, "cables": cables},
           "rdma": entries, "run": {"warmup": "300us", "measure": "600us"}}
    if slow:
        out["slow_hosts"] = slow
    return out, planted


def double(scenario, limit, entry):
    """The scenario with twice of what limits an entry; None if the name says nothing that could be doubled."""
    other = copy.deepcopy(scenario)
    named = next((e for e in other["rdma"] if e["name"] == entry), None)
    if limit == "the arrival rate":
        if not named or "interval" not in named:
            return None
        named["interval"] = scaled(named["interval"], 0.5)
        return other
    if found := re.fullmatch(r"cables? (\S+) (?:->|-) (\S+)", limit):
        for cable in other["network"]["cables"]:
            if {cable["from"], cable["to"]} == {found[1], found[2]}:
                cable["rate"] = scaled(cable["rate"], 2)
                return other
    if found := re.fullmatch(r"messages in flight of (\S+)", limit):
        of = next(e for e in other["rdma"] if e["name"] == found[1])
        of["outstanding"] = scaled(of["outstanding"], 2)
        return other
    if found := re.fullmatch(r"hosts? (\S+)", limit):
        for host in other.get("slow_hosts", ()):
            if found[1] in host["hosts"]:
                host["rate"] = scaled(host["rate"], 2)
                return other
    if limit == "buffer of switches":
        other["switches"] = {"buffer": "64MiB"}  # twice the default
        return other
    return None
