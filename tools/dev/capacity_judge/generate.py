"""Random trees of switches and root ports, and flows on them.

`deep`: credits without end, tags and windows that no flow uses up: what a flow gets is what the links leave it.
`fair`: the same, and each slot has one flow and all TLPs of a direction one size, so that turns are fair by themselves.
`shared`: the same with credits as ports have them, which flows of one ingress share.
`shallow`: few credits or tags, and no two flows on one direction of a link: each flow is alone with its round trip.
"""

import random

from closed_form import limits
from network import Network, quantity
from shares import by_turns, equal_turns

FAST = "20Tbps"  # memories: never what limits
PAYLOADS = (128, 256, 512)
READS = (512, 1024, 2048, 4096)
SIZES = (1, 2, 4, 8, 16)  # KiB
MOST_TLPS = 1_200_000       # TLPs and links that a run takes, about: keeps it below a second
ENDLESS = {key: 0 for key in ("posted_header", "posted_data", "non_posted_header", "non_posted_data")}


def tree(draw, ends):
    """Devices and links: up to three switches, each below the root complex or another switch, and GPUs anywhere below."""
    devices = {"rc": {"kind": "root_complex"}, "dram": {"kind": "host_memory", "at": "rc", "write_rate": FAST, "read_rate": FAST}}
    links, routers = [], ["rc"]

    def link(near, far, widths):
        links.append({"from": near, "to": far, "generation": draw.choice((3, 4, 5, 5, 6)), "width": draw.choice(widths)})

    for n in range(draw.choice((0, 1, 1, 2, 2, 3))):
        devices[f"sw{n}"] = {"kind": "pcie_switch", "latency": f"{draw.randint(60, 200)}ns"}
        link(draw.choice(routers), f"sw{n}", (4, 8, 16, 16))
        routers.append(f"sw{n}")
    payload = draw.choice(PAYLOADS)
    mixed = draw.random() < 0.4
    for n in range(ends):
        own = draw.choice(PAYLOADS) if mixed else payload
        function = {"max_payload": f"{own}B", "max_read_request": f"{draw.choice(READS)}B", "tags": 768}
        devices[f"gpu{n}"] = {"kind": "gpu", "function": function, "write_rate": FAST, "read_rate": FAST}
        link(draw.choice(routers), f"gpu{n}", (4, 8, 16, 16))
    return {"devices": devices, "links": links, "traffic": []}


def narrowest(network, start, end):
    """Bytes a second."""
    return min(network.capacity(d) for d in network.path(start, end) + network.path(end, start))


def entry(draw, scenario, number):
    devices = scenario["devices"]
    network = Network({**scenario, "traffic": []})
    memories = [n for n, d in devices.items() if d["kind"] in ("host_memory", "gpu")]
    source = draw.choice([n for n in memories if n != "dram"])
    target = draw.choice([n for n in memories if n != source])
    load = draw.choice((1.4, 1.4, 1.4, 0.5, 0.2))
    rate = narrowest(network, source, target)
    return {"name": f"f{number}", "kind": draw.choice(("read", "write")), "from": source, "to": target,
            "rate": f"{int(load * rate * 8 / 1e6)}Mbps", "sizes": "4KiB", "flows": 4, "window": "4MiB"}


def deepen(scenario):
    """Transfers so large and so many in flight that a round trip is a small part of them; False if the tags do not do."""
    for name, device in scenario["devices"].items():
        entries = [t for t in scenario["traffic"] if t["from"] == name]
        if not entries:
            continue
        device["outstanding"] = 64
        for t in entries:
            network = Network({**scenario, "traffic": [t]})
            wanted = 6 * network.flows[0].latency * narrowest(network, name, t["to"])
            t["sizes"] = next((f"{k}KiB" for k in SIZES if k * 1024 * 64 >= wanted), f"{SIZES[-1]}KiB")
        if sum(f.requests * f.window for f in Network(scenario).flows if f.source == name) > 768:
            device["function"]["max_read_request"] = "4096B"
        while (sum(f.requests * f.window for f in Network(scenario).flows if f.source == name) > 768
               or any(quantity(t["sizes"]) * device["outstanding"] < 2 * f.latency * narrowest(Network(scenario), name, t["to"])
                      for t in entries for f in Network({**scenario, "traffic": [t]}).flows)):
            device["outstanding"] //= 2
            if device["outstanding"] < 16:
                return False
            for t in entries:
                t["sizes"] = f"{min(16, int(quantity(t['sizes'])) // 512)}KiB"
    return True


def with_fair_turns(draw, scenario):
    """Entries that leave turns fair, of some that are drawn."""
    for number in range(4 * len(scenario["devices"])):
        more = [*scenario["traffic"], entry(draw, scenario, number)]
        if equal_turns(Network({**scenario, "traffic": more})):
            scenario["traffic"] = more
    return scenario["traffic"]


def deep(seed, of_kind):
    draw = random.Random(f"{of_kind} {seed}")
    while True:
        scenario = tree(draw, draw.randint(3 if of_kind == "fair" else 2, 7))
        for link in scenario["links"] if of_kind != "shared" else ():
            link["credits"] = dict(ENDLESS)
        if of_kind == "fair":
            scenario["traffic"] = with_fair_turns(draw, scenario)
        else:
            scenario["traffic"] = [entry(draw, scenario, n) for n in range(draw.randint(2, 8))]
        if len(scenario["traffic"]) < 2 or not deepen(scenario):
            continue
        for written in [t for t in scenario["traffic"] if of_kind == "shared" and t["kind"] == "write"]:
            written["sizes"] = f"{max(8, int(quantity(written['sizes'])) // 1024)}KiB"  # more in flight than there are credits
        network = Network(scenario)
        found = by_turns(network)
        if found is None or found.slow_to_settle():
            continue
        rates, waits = found.rates(), found.waits
        # Queues fill with what is offered beyond the share, which must not be little, and settle in some round trips. A
        # transfer counts whole, so it takes many of them.
        short = [f for f in network.flows if rates[f.name] < 0.995 * f.offered]
        if any(rates[f.name] > 0.9 * f.offered for f in short):
            continue
        filled = max([f.window / (f.offered - rates[f.name]) for f in short], default=0.0)
        warmup = 20e-6 + 2 * filled + 8 * max(waits.values())
        measure = max(100e-6, 10 * max(waits.values()), *(200 / rate for rate in rates.values()))
        _, tlps = network.loads(rates)
        if sum(tlps.values()) * (warmup + measure) < MOST_TLPS:
            scenario["run"] = {"warmup": f"{warmup * 1e9:.0f}ns", "measure": f"{measure * 1e9:.0f}ns"}
            return scenario


def shallow(seed):
    draw = random.Random(f"shallow {seed}")
    scenario = tree(draw, draw.randint(2, 6))
    for link in scenario["links"]:
        link["credits"] = {"posted_header": draw.choice((1, 2, 4, 8, 16, 32, 128)),
                           "posted_data": draw.choice((32, 64, 128, 512, 2048)),
                           "non_posted_header": draw.choice((1, 2, 4, 8, 32, 128)), "non_posted_data": 16}
    for device in scenario["devices"].values():
        if device["kind"] == "gpu":
            device["function"]["tags"] = draw.choice((1, 2, 4, 8, 32, 64, 256))
            device["outstanding"] = 256
    taken = set()
    for number in range(4 * len(scenario["devices"])):
        new = entry(draw, scenario, number)
        new["sizes"] = f"{draw.choice((4, 8))}KiB"
        flow = Network({**scenario, "traffic": [new]}).flows[0]
        directions = {leg.direction for leg in flow.legs if leg.direction[0] != "dram"}
        if not directions & taken:
            taken |= directions
            scenario["traffic"].append(new)
    network = Network(scenario)
    rates = {f.name: min(limits(network, f).values()) for f in network.flows}
    measure = max(100e-6, *(300 / rate for rate in rates.values()))
    warmup = 20e-6 + 50 * max(f.latency for f in network.flows)
    scenario["run"] = {"warmup": f"{warmup * 1e9:.0f}ns", "measure": f"{measure * 1e9:.0f}ns"}
    return scenario


KINDS = ("shallow", "deep", "fair", "shared", "deep")


def kind(seed):
    return KINDS[seed % len(KINDS)]


def scenario(seed):
    made = shallow(seed) if kind(seed) == "shallow" else deep(seed, kind(seed))
    return {"description": f"capacity {seed}, {kind(seed)}", **made}
