"""What a random scenario gets besides: drives, copies, atomics, programs with sockets, a second socket, cables, presets, and
the options that `generate` leaves alone. Draws of its own: the rest of a seed's scenario does not depend on them.
"""

import pathlib

HARDWARE = pathlib.Path(__file__).resolve().parents[3] / "scenarios" / "hardware"
PRESETS = {"gpu": ("a100_sxm4", "h200", "mi250x", "mi300x", "tesla_t4"), "nic": ("nic_100g", "nic_200g", "nic_400g"),
           "pcie_switch": ("gen4_switch", "gen5_switch"), "dma_card": ("nfp6000",),
           "root_complex": ("emerald_rapids_root_complex", "epyc_root_complex", "rtx4090_root_ports",
                            "sapphire_rapids_root_complex"),
           "host_cpu": ("gpudirect_cpu",)}
KERNELS = {"read_latency": "400ns", "read_queueing": "1ns", "reads": 64, "store_interval": "30ns", "stores": 22,
           "atomic_latency": "120ns", "atomic_queueing": "1ns", "atomic_interval": "3ns", "copy_in_flight": "16KiB",
           "launch_to": "500ns", "launch_from": "500ns"}
COPIES = {"request": "256B", "in_flight": "32KiB", "queued_reads": "64KiB", "queued_writes": "32KiB",
          "write_rate": "400Gbps", "setup_to": "500ns", "setup_from": "500ns"}


def preset(name):
    return {"extends": str(HARDWARE / f"{name}.json")}


def of_kind(devices, *kinds):
    return [name for name, device in devices.items() if device["kind"] in kinds]


def options(draw, devices):
    for device in devices.values():
        if device["kind"] == "nic":
            for key, values in (("packet_rate", (1_000_000, 10_000_000, 100_000_000)), ("coalesce", ("16KiB", "64KiB")),
                                ("mini_completion", ("8B",)), ("header_split", (False,)), ("pipeline_latency", ("0ns", "2us"))):
                if draw.often(10):
                    device[key] = draw.choice(values)
        elif device["kind"] == "root_complex" and draw.often(20):
            device["ordered_writes"] = {"lines": draw.choice((4, 32, 92)), "commit_latency": draw.time(50, 800)}
        elif device["kind"] == "gpu":
            if draw.often(20):
                device["kernels"] = dict(KERNELS, one_queue=draw.often(50))
            if draw.often(20):
                device["copies"] = dict(COPIES)


def ways_of_entries(draw, scenario):
    devices = scenario["devices"]
    for t in scenario["traffic"]:
        if t["kind"] in ("receive", "transmit"):
            if devices[t["to"]]["kind"] == "gpu" and "registered" not in t and draw.often(25):
                t["path"] = "staged"
            continue
        if "bar1" not in devices[t["to"]] and draw.often(25):
            t["addresses"] = "random"
        if "bar1" not in devices[t["to"]] and draw.often(20):
            t["offset"] = f"{draw.choice((1, 3, 4, 60, 63, 100, 4095))}B"
        if devices[t["from"]]["kind"] != "dma_card" and draw.often(20):
            t["outstanding"] = draw.choice((1, 4, 32, 200))
        if draw.often(10):
            t["saturates"] = True
        if draw.often(10) and not isinstance(t["sizes"], list):
            t["bytes"] = f"{draw.choice((1, 3, 20)) * size_of(t['sizes'])}B"
            scenario["run"]["warmup"] = "0ns"  # it is counted from its first transfer
            scenario.pop("events", None)


def size_of(text):
    return int(text[:-3]) * 1024 if text.endswith("KiB") else int(text[:-1])


def attach(draw, scenario, name, device):
    """Behind any router, by a link of its own."""
    at = draw.choice(of_kind(scenario["devices"], "root_complex", "pcie_switch"))
    scenario["devices"][name] = device
    scenario["links"].append({"from": at, "to": name, "generation": draw.choice((3, 4, 5)), "width": draw.choice((2, 4, 8))})


def rate(draw):
    return f"{draw.choice((1, 10, 40, 100, 400))}Gbps"


def drive(draw, scenario):
    attach(draw, scenario, "ssd", {"kind": "nvme", "queues_in": "dram", "queue_depth": draw.choice((1, 8, 64)),
                                   "read_latency": draw.time(500, 9000), "write_latency": draw.time(500, 9000),
                                   "read_iops": draw.choice((0, 800_000)), "interrupt_threshold": draw.choice((0, 1, 8))})
    for n in range(draw.randint(1, 2)):
        to = draw.choice(of_kind(scenario["devices"], "host_memory", "gpu", "dma_card"))
        yield {"name": f"drive{n}", "kind": draw.choice(("write", "read")), "from": "ssd", "to": to, "rate": rate(draw),
               "sizes": draw.choice(("512B", "4KiB", "32KiB", "128KiB")), "window": "1MiB"}


def copies(draw, scenario):
    gpus = of_kind(scenario["devices"], "gpu")
    for n in range(draw.randint(1, 3) if gpus else 0):
        gpu, other = draw.choice(gpus), draw.choice(["dram"] + gpus)
        entry = {"name": f"copy{n}", "kind": "copy", "from": gpu, "to": other, "rate": rate(draw),
                 "sizes": draw.choice(("4KiB", "60KiB", "256KiB")), "submission": draw.choice(("queued", "single")),
                 "by": draw.choice(("engine", "engine", "kernel"))}
        if other == gpu:
            continue
        if other == "dram" and draw.often(50):
            entry.update({"from": "dram", "to": gpu})
        elif other != "dram":
            entry.update(through="dram", submission="queued", chunk=draw.choice(("4KiB", "64KiB")))
        for end in {gpu, other} - {"dram"}:
            device = scenario["devices"][end]
            device.setdefault("copies", dict(COPIES))
            if entry["by"] == "kernel":
                device.setdefault("kernels", dict(KERNELS))
        yield entry


def atomics(draw, scenario):
    gpus = of_kind(scenario["devices"], "gpu")
    if gpus:
        gpu = draw.choice(gpus)
        scenario["devices"][gpu].setdefault("kernels", dict(KERNELS))
        yield {"name": "adds", "kind": "atomic", "from": gpu, "to": draw.choice([g for g in gpus if g != gpu] + ["dram"]),
               "rate": rate(draw), "sizes": draw.choice(("4B", "8B")), "outstanding": draw.choice((1, 32))}


def sockets(draw, scenario):
    """Programs of two GPUs, or of one and a CPU."""
    gpus = of_kind(scenario["devices"], "gpu")
    if not gpus:
        return
    ends = []
    for n, gpu in enumerate(gpus[:2]):
        scenario["devices"][gpu].setdefault("kernels", dict(KERNELS))
        scenario["devices"][f"proxy{n}"] = {"kind": "gpunet_proxy", "at": "rc", "gpu": gpu, "threads": draw.randint(1, 2)}
        ends.append(f"proxy{n}")
    pattern = draw.choice(("echo", "stream")) if len(ends) == 2 else "echo"
    ends = [*(["dram"] if len(ends) == 1 else []), *ends]
    yield {"name": "programs", "kind": "gpunet", "from": ends[0], "to": ends[1], "pattern": pattern,
           "channel": draw.choice(("unix", "tcp")), "flows": draw.randint(1, 4), "sizes": draw.choice(("64B", "4KiB", "64KiB"))}


def private_pages(draw, scenario):
    gpus = [g for g in of_kind(scenario["devices"], "gpu") if "bar1" not in scenario["devices"][g]]
    if not gpus:
        return
    attach(draw, scenario, "hca", {"kind": "odp_nic", "pages_in": "dram", "page": draw.choice(("4KiB", "64KiB")),
                                   "policy": draw.choice(("migrate", "alias", "alias_with_fallback")), "aperture": "1MiB",
                                   "rnr_timer": "10us", "round_trip": "1us", "fault_latency": "1us", "map_latency": "1us"})
    yield {"name": "pages", "kind": draw.choice(("write", "read")), "from": "hca", "to": draw.choice(gpus),
           "rate": draw.choice(("10Gbps", "100Gbps")), "sizes": draw.choice(("4KiB", "64KiB")), "window": "1MiB"}


def cable(draw, scenario):
    """Frames that one NIC sends come to another one, which nothing else comes to."""
    devices, traffic = scenario["devices"], scenario["traffic"]
    sent = [t for t in traffic if t["kind"] == "transmit"]
    used = {t["from"] for t in traffic if t["kind"] == "receive"}
    if not sent:
        return
    sender = draw.choice(sent)
    free = [n for n in of_kind(devices, "nic") if n not in used | {sender["from"]}]
    if not free or sum(t["from"] == sender["from"] for t in sent) > 1:
        return
    to = draw.choice(free)
    slower = min((devices[n]["wire_rate"] for n in (sender["from"], to)), key=lambda text: int(text[:-4]))
    scenario["cables"] = [{"from": sender["from"], "to": to, "rate": slower, "delay": draw.time(0, 500)}]
    yield {"name": "far", "kind": "receive", "from": to, "to": draw.choice(of_kind(devices, "host_memory", "gpu", "dma_card")),
           "sender": sender["name"]}


def second_socket(draw, scenario):
    """A root complex with memory of its own; some devices move below it."""
    devices = scenario["devices"]
    devices["dram"]["at"] = devices["cpu"]["at"] = "rc"
    devices["rc1"] = {"kind": "root_complex", "latency": draw.time(50, 400)}
    devices["dram1"] = {"kind": "host_memory", "at": "rc1"}
    if "iommu" in devices["rc"]:
        devices["rc1"]["iommu"] = dict(devices["rc"]["iommu"])
    scenario.pop("arbitration", None)
    scenario["inter_socket"] = [{"extends": str(HARDWARE / draw.choice(("upi_10400.json", "upi_10400_peers.json", "xgmi_16000.json"))),
                                 "from": "rc", "to": "rc1", "links": draw.randint(1, 4)}]
    moved = [l for l in scenario["links"] if l["from"] == "rc"]
    for l in draw.sample(moved, draw.randint(1, len(moved))):
        l["from"] = "rc1"
    for t in scenario["traffic"]:
        if t["kind"] in ("receive", "transmit"):
            t.setdefault("headers_to", "dram")
        elif t["to"] == "dram" and draw.often(50):
            t["to"] = "dram1"
    return ()


PARTS = ((drive, 15), (copies, 25), (atomics, 15), (sockets, 15), (private_pages, 10), (cable, 60), (second_socket, 12))


def presets(draw, devices):
    """Parts of shipped hardware; what traffic needs stays as it was drawn."""
    for name, device in devices.items():
        known = PRESETS.get(device["kind"], ())
        if not known or not draw.often(12) or "bar1" in device or "iommu" in device or "at" in device:
            continue
        kept = {key: device[key] for key in ("kind", "wire_rate", "queues", "acs", "kernels", "copies") if key in device}
        devices[name] = {**preset(draw.choice(known)), **kept}


def add(draw, scenario):
    """Changes a scenario of `generate`."""
    options(draw, scenario["devices"])
    ways_of_entries(draw, scenario)
    for part, percent in PARTS:
        if draw.often(percent):
            scenario["traffic"] += list(part(draw, scenario))
    presets(draw, scenario["devices"])
