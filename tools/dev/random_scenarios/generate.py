"""Random scenarios: from a seed a topology, traffic and events such as a user could write, as a JSON object.

Nearly all are valid; `peerpath check` has the last word. Times are short, so that a run takes some milliseconds.
"""

import random

import more

SIZES = ("64B", "200B", "512B", "1KiB", "1500B", "4KiB", "8KiB", "16KiB")
WIDTHS = (1, 2, 4, 8, 12, 16)
CONTROLS = ("SV", "TB", "RR", "CR", "UF", "EC", "DT")
PAYLOADS = (128, 256, 512)


class Draw(random.Random):
    """Draws of what a scenario has."""

    def often(self, percent):
        return self.random() * 100 < percent

    def time(self, least, most):
        return f"{self.randint(least, most)}ns"

    def controls(self):
        return ["none"] if self.often(30) else sorted(self.sample(CONTROLS, self.randint(1, 4)))


def function(draw):
    out = {"max_payload": f"{draw.choice(PAYLOADS)}B", "max_read_request": f"{draw.choice((128, 256, 512, 1024, 4096))}B"}
    if draw.often(25):
        out["tags"] = draw.choice((1, 8, 32, 256, 768))
    if draw.often(25):
        out["relaxed_ordering"] = True
    if draw.often(25):
        out["id_based_ordering"] = True
    if draw.often(20):
        out["completion_timeout"] = "50us"
    if draw.often(3):
        out["one_queue"] = draw.choice((1, 4, 16))
    return out


def root_complex(draw):
    out = {"kind": "root_complex", "latency": draw.time(50, 400)}
    if draw.often(30):
        out["iommu"] = {"entries": draw.choice((8, 16, 64)), "page_size": draw.choice(("4KiB", "2MiB")),
                        "walkers": draw.randint(1, 6), "walk_latency": draw.time(50, 500),
                        "replacement": draw.choice(("lru", "fifo", "random"))}
        if draw.often(30):
            out["iommu"]["flush_interval"] = draw.time(3000, 30000)
    if draw.often(20):
        out["credits"] = {"write_credits": draw.randint(4, 120), "read_credits": draw.randint(4, 200)}
    if draw.often(20):
        out["peer_to_peer"] = {"write_rate": f"{draw.randint(10, 300)}Gbps", "read_rate": f"{draw.randint(10, 300)}Gbps",
                               "latency": draw.time(0, 400)}
    if draw.often(30):
        out["acs"] = draw.controls()
    if draw.often(8):
        out["forwards_peers"] = False
    return out


def host_memory(draw):
    out = {"kind": "host_memory"}
    if draw.often(25):
        ways = draw.choice((4, 8, 16))
        out["cache"] = {"size": f"{draw.choice((64, 512, 4096))}KiB", "ways": ways, "ddio_ways": draw.randint(0, ways)}
    if draw.often(20):
        out["channels"] = {"count": draw.randint(1, 8), "rate": f"{draw.randint(20, 300)}Gbps",
                           "cpu_load_percent": draw.choice((0, 0, 30, 80))}
    if draw.often(15):
        out["remote_hop"] = draw.time(10, 200)
    if draw.often(25):
        out["write_rate"] = f"{draw.randint(20, 2000)}Gbps"
        out["read_rate"] = f"{draw.randint(20, 2000)}Gbps"
    return out


def host_cpu(draw):
    out = {"interrupt_cost": draw.time(0, 3000), "packet_cost": draw.time(0, 2000), "wakeup_cost": draw.time(0, 3000)}
    for key in ("copy_rate", "byte_cost_per_kib", "doorbell_cost"):
        if draw.often(50):
            out[key] = f"{draw.choice((1, 20, 400))}Gbps" if key == "copy_rate" else draw.time(0, 500)
    return out


def nic(draw, iommu):
    out = {"kind": "nic", "function": function(draw), "queues": draw.randint(1, 8),
           "ring_entries": draw.choice((16, 64, 256, 1024)), "wire_rate": f"{draw.choice((10, 100, 200, 400))}Gbps"}
    for key, values in (("buffer_size", ("2KiB", "4KiB")), ("writeback_batch", (1, 4, 16)), ("prefetch", (1, 8, 64)),
                        ("rx_fifo", ("16KiB", "64KiB", "1MiB")), ("tx_fifo", ("64KiB", "1MiB")),
                        ("interrupt_frames", (1, 8, 256)), ("interrupt_moderation", ("0ns", "2us", "20us")),
                        ("writeback_timeout", ("100ns", "1us", "5us"))):
        if draw.often(25):
            out[key] = draw.choice(values)
    if iommu and draw.often(40):
        out["ats"] = {"entries": draw.choice((4, 64, 1024)), "page_size": "4KiB"}
        if draw.often(30):
            out["ats"]["page_request"] = draw.time(100, 5000)
    return out


def gpu(draw):
    out = {"kind": "gpu", "function": function(draw)}
    if draw.often(25):
        out["bar_size"] = draw.choice(("32MiB", "64MiB", "256MiB"))
        out["bar1"] = {"when_full": draw.choice(("refuse", "bounce", "remap")), "reserved": draw.choice(("0B", "4MiB")),
                       "piece": draw.choice(("64KiB", "1MiB")), "map_call": draw.time(0, 3000)}
    if draw.often(25):
        out["peer_reads"] = draw.randint(1, 64)
    if draw.often(25):
        out["outstanding"] = draw.randint(1, 128)
    if draw.often(25):
        out["write_rate"] = f"{draw.randint(20, 2000)}Gbps"
        out["read_rate"] = f"{draw.randint(20, 2000)}Gbps"
    return out


def dma_card(draw):
    out = {"kind": "dma_card", "function": function(draw), "memory": "128MiB", "outstanding": draw.choice((1, 8, 64))}
    for key in ("read_issue", "write_issue", "command", "write_chunk", "read_beat", "completion", "store", "turnaround"):
        if draw.often(12):
            out[key] = draw.time(0, 60)
    if draw.often(15):
        out["ecrc"] = True
    return out


def link(draw, near, far):
    out = {"from": near, "to": far, "generation": draw.randint(1, 6), "width": draw.choice(WIDTHS)}
    if draw.often(60):
        out.update(generation=draw.choice((4, 5)), width=draw.choice((8, 16)))
    if draw.often(20):
        out["dllp"] = draw.choice(("published", "none"))
    if draw.often(10):
        out["link_share"] = draw.choice((0.5, 0.93))
    if draw.often(20):
        out["propagation"] = draw.time(0, 60)
    if draw.often(20):
        out["update_fc"] = draw.time(0, 500)
    if draw.often(8):
        out["tlp_gap"] = draw.choice(("4B", "64B"))
    if draw.often(25):
        out["credits"] = credits(draw)
    if draw.often(12):
        out["vc1"] = {"traffic_classes": sorted(draw.sample(range(1, 8), draw.randint(1, 3)))}
        if draw.often(50):
            out["vc1"]["credits"] = credits(draw)
        if draw.often(50):
            out["vc1"].update(vc0_turns=draw.randint(1, 4), vc1_turns=draw.randint(1, 4))
    if draw.often(10):
        out["bit_error_rate"] = draw.choice((1e-8, 1e-6, 1e-5))
    return out


def credits(draw):
    out = {"posted_header": draw.choice((1, 8, 64)), "posted_data": draw.choice((32, 128, 1024)),
           "non_posted_header": draw.choice((1, 8, 64)), "non_posted_data": draw.choice((0, 3, 16))}
    if draw.often(30):
        out.update(completion_header=draw.choice((4, 64)), completion_data=draw.choice((32, 512)))
    return out


def topology(draw):
    """Devices and links: up to three switches in two levels, two to five endpoints anywhere below."""
    devices = {"rc": root_complex(draw), "dram": host_memory(draw), "cpu": {"kind": "host_cpu", "cores": draw.randint(1, 8)}}
    links, places = [], ["rc"]
    for n in range(draw.choice((0, 1, 1, 1, 2, 2, 3))):
        name = f"sw{n}"
        devices[name] = {"kind": "pcie_switch", "latency": draw.time(20, 200)}
        if draw.often(35):
            devices[name]["acs"] = draw.controls()
        links.append(link(draw, draw.choice(places[:2]), name))
        places.append(name)
    for n in range(draw.randint(2, 5)):
        kind = draw.choice(("nic", "nic", "gpu", "gpu", "card")) if n else draw.choice(("nic", "card"))
        name = f"{kind}{n}"
        devices[name] = {"nic": lambda: nic(draw, "iommu" in devices["rc"]), "gpu": lambda: gpu(draw),
                         "card": lambda: dma_card(draw)}[kind]()
        links.append(link(draw, draw.choice(places[1:] if len(places) > 1 and draw.often(75) else places), name))
    return devices, links


def entry(draw, devices, name, shares):
    """One entry of traffic; `shares` is what is left of each wire's rate, in Gb/s."""
    ends = [d for d in devices if "function" in devices[d]]
    memories = ["dram"] + [d for d in ends if devices[d]["kind"] != "nic"]
    start = draw.choice(ends)
    to = draw.choice([m for m in memories if m != start])
    out = {"name": name, "from": start, "to": to,
           "sizes": [draw.choice(SIZES) for _ in range(draw.randint(2, 4))] if draw.often(15) else draw.choice(SIZES)}
    if draw.often(40):
        out["arrival"] = draw.choice(("jittered", "poisson", "burst"))
    if draw.often(40):
        out["flows"] = draw.choice((1, 2, 5, 64))
    if devices[start]["kind"] == "nic" and ("ats" in devices[start] or draw.often(70)):
        out["kind"] = draw.choice(("receive", "transmit"))
        if devices[to]["kind"] == "gpu" and draw.often(40):
            out["path"] = "bounce"
        if out["kind"] == "transmit" and out.get("arrival", "burst") != "burst" and draw.often(95):
            del out["arrival"]
        if out["kind"] == "receive":
            out["sizes"] = draw.choice(("64B", "1448B", "4KiB", "8000B"))
        if devices[to]["kind"] == "gpu" and "path" not in out and draw.often(15):
            out["registered"] = draw.choice(("16MiB", "48MiB", "512MiB"))
        left = shares.setdefault((start, out["kind"]), int(devices[start]["wire_rate"][:-4]))
        rate = max(1, left if draw.often(25) else draw.randint(1, max(1, left)))
        shares[start, out["kind"]] = left - rate
        if rate > left:
            return None
        out["rate"] = f"{rate}Gbps"
        return out
    out["kind"] = draw.choice(("read", "write"))
    out["rate"] = f"{draw.choice((1, 10, 40, 100, 250, 600))}Gbps"
    out["window"] = draw.choice(("1MiB", "8MiB", "32MiB"))
    if draw.often(20):
        out["traffic_class"] = draw.randint(1, 7)
    return out


def event(draw, devices, links, traffic, end):
    ends = [d for d in devices if "function" in devices[d]]
    linked = [d for d in devices if devices[d]["kind"] not in ("root_complex", "host_memory", "host_cpu")]
    kind = draw.choice(("acs", "retrain", "link_down", "link_up", "bit_error", "credit_leak", "answer", "port_down",
                        "port_up", "poison", "surprise_down", "port_reset", "iommu_fault", "wrong_requester_id"))
    out = {"at": f"{draw.randint(0, end - 1)}ns", "kind": kind, "device": draw.choice(linked)}
    if kind == "acs":
        out.update(device=draw.choice(["rc"] + linked), acs=draw.controls())
    elif kind == "retrain":
        above = next(l for l in links if l["to"] == out["device"])
        out["outage"] = draw.time(0, 9000) if draw.often(70) else "1ns"
        if draw.often(60):
            out["width"] = draw.choice([w for w in WIDTHS if w <= above["width"]])
        if draw.often(60):
            out["generation"] = draw.randint(1, above["generation"])
    elif kind == "bit_error":
        out["way"] = draw.choice(("up", "down"))
    elif kind == "credit_leak":
        out.update(way=draw.choice(("up", "down")), tlp_class=draw.choice(("posted", "non_posted")),
                   headers=draw.randint(1, 60))
    elif kind == "answer":
        out.update(device=draw.choice(ends + ["dram"]),
                   status=draw.choice(("unsupported_request", "completer_abort", "no_answer")))
    elif kind in ("port_down", "port_up"):
        nics = [d for d in ends if devices[d]["kind"] == "nic"]
        if not nics:
            return None
        out["device"] = draw.choice(nics)
    elif kind in ("poison", "surprise_down", "port_reset", "iommu_fault", "wrong_requester_id"):
        movers = [t["from"] for t in traffic if kind == "wrong_requester_id" or t["kind"] in ("receive", "write")]
        moves = kind in ("poison", "wrong_requester_id") and draw.often(95)
        if moves and not movers:
            return None
        out["device"] = draw.choice(movers if moves else ends)
        if kind == "poison":
            out["writes"] = draw.randint(1, 20)
        if kind == "port_reset":
            out["outage"] = draw.time(100, 9000)
        if kind == "wrong_requester_id" and draw.often(60):
            out["transfers"] = draw.randint(1, 20)
        if kind == "iommu_fault" and "iommu" not in devices["rc"]:
            return None
    return out


def arbitration(draw, links):
    """Turns of a port at another one of the same router."""
    routers = sorted({l["from"] for l in links})
    at = draw.choice(routers)
    around = [l["to"] for l in links if l["from"] == at] + [l["from"] for l in links if l["to"] == at]
    around += ["dram"] if at == "rc" else []
    if len(around) < 2:
        return []
    start, to = draw.sample(around, 2)
    return [{"at": at, "from": start, "to": to, "turns": draw.randint(2, 8)}]


def scenario(seed):
    draw = Draw(seed)
    devices, links = topology(draw)
    of_cpu = Draw(f"host_cpu {seed}")  # draws of its own: the rest of a seed's scenario does not depend on them
    if of_cpu.often(50):
        devices["cpu"].update(host_cpu(of_cpu))
    of_bar1 = Draw(f"bar1 {seed}")
    for device in devices.values():
        if "bar1" in device and of_bar1.often(50):  # much to remap
            device["bar_size"] = of_bar1.choice(("1MiB", "2MiB"))
            device["bar1"].update(when_full="remap", reserved="0B", piece="64KiB", unmap_call=of_bar1.time(0, 3000))
    shares = {}
    entries = (entry(draw, devices, f"t{n}", shares) for n in range(draw.choice((1, 1, 2, 2, 3, 4))))
    warmup, measure = draw.choice((0, 0, 5000, 20000)), draw.choice((20000, 40000, 80000))
    out = {"description": f"random scenario {seed}", "devices": devices, "links": links,
           "traffic": [e for e in entries if e],
           "run": {"warmup": f"{warmup}ns", "measure": f"{measure}ns", "seed": draw.randint(0, 9), "stage_interval": 1}}
    if draw.often(20):
        out["arbitration"] = arbitration(draw, links)
    if draw.often(45):
        events = (event(draw, devices, links, out["traffic"], warmup + measure) for _ in range(draw.randint(1, 5)))
        out["events"] = [e for e in events if e]
    if draw.often(30):
        out["run"]["watchdog"] = draw.choice(("0ns", "10us", "50us"))
    besides = Draw(f"more {seed}")
    if besides.often(60):
        more.add(besides, out)
    return out
