"""Random scenarios in which each traffic entry is limited by a resource of its own, planted there: from a seed a JSON object."""

import random

WRITES, READS = ("write",), ("read",)
CREDITS = {"posted_header": (2, 6), "posted_data": (32, 96), "completion_header": (2, 5), "completion_data": (32, 96),
           "non_posted_header": (1, 2)}


def plants_of(kind):
    """What can be planted for an entry of a kind."""
    return {"write": ("link", "memory", "posted_header", "posted_data", "in_flight", "engine", "nothing"),
            "read": ("link", "memory", "completion_header", "completion_data", "non_posted_header", "tags", "in_flight",
                     "peer_reads", "nothing"),
            "receive": ("link", "memory", "posted_header", "posted_data", "fifo", "core", "prefetch", "nothing"),
            "transmit": ("link", "memory", "completion_header", "tags", "core", "nothing"),
            "drive": ("medium", "link", "memory", "queue_depth", "nothing")}[kind]


class Entry:
    """One entry of traffic with the devices that it has for itself, and the resource that limits it."""

    def __init__(self, draw, number, places, devices, links, cores_free):
        self.draw, self.devices, self.links = draw, devices, links
        self.kind = draw.choice(("write", "write", "read", "read", "receive", "transmit", "drive"))
        plants = [p for p in plants_of(self.kind) if p != "core" or cores_free]
        self.plant = draw.choice(plants)
        # Only a GPU of the entry's own has a memory, or reads of peers, that can be its limit alone.
        own_target = self.plant in ("memory", "peer_reads") or draw.random() < 0.4
        if self.kind in ("receive", "transmit"):
            own_target = True
        self.source, self.target = f"d{number}", f"gpu{number}" if own_target else "dram"
        at = draw.choice(places)
        self.link = self.attach(self.source, at)
        if own_target:
            self.attach(self.target, draw.choice((at, draw.choice(places))))
            devices[self.target] = {"kind": "gpu", "function": function()}
        devices[self.source] = self.source_device()
        self.entry = {"name": f"t{number}", "kind": "write" if self.kind == "drive" else self.kind, "from": self.source,
                      "to": self.target, "rate": f"{draw.randint(40, 70)}Gbps", "sizes": draw.choice(("4KiB", "8KiB"))}
        self.lay()

    def attach(self, device, at):
        self.links.append({"from": at, "to": device, "generation": 5, "width": 16})
        return self.links[-1]

    def source_device(self):
        if self.kind in ("receive", "transmit"):
            return {"kind": "nic", "function": function(), "wire_rate": "100Gbps", "queues": 2, "ring_entries": 512,
                    "mtu": "9000B", "buffer_size": "4KiB"}
        if self.kind == "drive":
            return {"kind": "nvme", "queues_in": "dram", "read_rate": "100Gbps", "write_rate": "100Gbps", "queue_depth": 64,
                    "read_latency": "20us"}
        if self.plant == "engine" or (self.plant != "in_flight" and self.draw.random() < 0.5):
            return {"kind": "dma_card", "function": function(), "memory": "128MiB", "outstanding": 256}
        return {"kind": self.draw.choice(("gpu", "dma_card")), "function": function(), "outstanding": 256}

    def lay(self):
        """Makes the planted resource give 30 to 80 % of what is offered."""
        draw, source = self.draw, self.devices[self.source]
        if self.plant == "link":  # 12.6 to 31.5 Gb/s of payload and overhead
            self.link.update(draw.choice(({"generation": 3, "width": 4}, {"generation": 4, "width": 2},
                                          {"generation": 5, "width": 1}, {"generation": 2, "width": 8})))
        elif self.plant == "memory":
            side = "write_rate" if self.entry["kind"] in ("write", "receive") else "read_rate"
            self.devices[self.target][side] = f"{draw.randint(12, 30)}Gbps"
        elif self.plant in CREDITS:
            self.link["credits"] = {self.plant: draw.randint(*CREDITS[self.plant])}
            self.link["propagation"] = "200ns"
            if self.plant == "non_posted_header":
                self.devices[self.source]["function"]["max_read_request"] = "512B"
        elif self.plant == "tags":
            source["function"].update(tags=draw.randint(2, 4), max_read_request="512B")
            self.link["propagation"] = "250ns"
        elif self.plant == "in_flight":
            source["outstanding"] = 1
            self.link["propagation"] = f"{draw.randint(2000, 3000)}ns"
        elif self.plant == "engine":
            source["write_chunk"] = f"{draw.randint(30, 60)}ns"
        elif self.plant == "peer_reads":
            self.devices[self.target]["peer_reads"] = 2
            source["function"]["max_read_request"] = "512B"
        elif self.plant == "fifo":
            source["rx_fifo"] = "8KiB"
            self.link["propagation"] = "800ns"
        elif self.plant == "prefetch":
            source.update(prefetch=1, queues=1, buffer_size="2KiB")
            self.link["propagation"] = "300ns"
            self.entry["sizes"] = "2KiB"
        elif self.plant == "core":
            self.devices["cpu"]["packet_cost"] = f"{draw.randint(2500, 4000)}ns"
            source.update(queues=1, ring_entries=64)
        elif self.plant == "medium":
            source["read_rate"] = f"{draw.randint(12, 30)}Gbps"
        elif self.plant == "queue_depth":
            source.update(queue_depth=2, read_latency="4us")
        elif self.plant == "nothing":
            self.entry["rate"] = f"{draw.randint(2, 8)}Gbps"


def function():
    return {"max_payload_supported": "512B", "max_payload": "256B", "max_read_request": "4KiB", "tags": 256}


def scenario(seed):
    draw = random.Random(f"bottleneck {seed}")
    devices = {"rc": {"kind": "root_complex"},
               "dram": {"kind": "host_memory", "at": "rc", "write_rate": "8000Gbps", "read_rate": "8000Gbps"},
               "cpu": {"kind": "host_cpu", "at": "rc", "cores": 32, "packet_cost": "20ns", "interrupt_cost": "20ns",
                       "wakeup_cost": "20ns"}}
    links, places = [], ["rc"]
    for n in range(draw.randint(1, 3)):
        devices[f"sw{n}"] = {"kind": "pcie_switch"}
        links.append({"from": "rc", "to": f"sw{n}", "generation": 6, "width": 16})
        places.append(f"sw{n}")
    entries = []
    for number in range(draw.randint(1, 6)):
        cores_free = not any(e.kind in ("receive", "transmit") for e in entries)
        entries.append(Entry(draw, number, places, devices, links, cores_free))
        if entries[-1].plant == "core":  # its costs are everybody's
            break
    scenario = {"description": f"random limits {seed}", "devices": devices, "links": links,
                "traffic": [e.entry for e in entries], "run": {"warmup": "150us", "measure": "250us"}}
    return scenario, {e.entry["name"]: e.plant for e in entries}
