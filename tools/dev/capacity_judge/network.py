"""A scenario as its links and the transfers on them: which way each flow goes, what its TLPs take, whose turns it shares."""

import collections
import dataclasses

import links

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "B": 1, "Tbps": 1e12, "Gbps": 1e9, "Mbps": 1e6, "bps": 1,
         "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
DEFAULTS = {"max_payload": "256B", "max_read_request": "512B", "tags": 256}
CREDITS = {"posted_header": 128, "posted_data": 2048, "non_posted_header": 128, "non_posted_data": 128}
PROPAGATION, UPDATE_FC = "10ns", "60ns"
LATENCY = {"root_complex": "150ns", "pcie_switch": "110ns"}
READ_LATENCY = {"host_memory": "90ns", "gpu": "600ns"}
IN_FLIGHT = 64  # transfers of a GPU


def quantity(text):
    for unit, factor in UNITS.items():
        if str(text).endswith(unit):
            return float(str(text)[:-len(unit)]) * factor
    raise ValueError(text)


@dataclasses.dataclass(frozen=True)
class Leg:
    """What a flow has on one direction of a link: a transfer's TLPs, their bytes on the line, and whose turns they take."""
    direction: tuple  # lower end of the link, "up" or "down"
    slot: tuple       # ingress and class at the transmitter
    tlps: int
    bytes: int        # of all of them
    tlp_bytes: int    # of the longest


@dataclasses.dataclass
class Flow:
    name: str
    kind: str
    source: str
    target: str
    size: int        # bytes of a transfer
    offered: float   # transfers a second
    window: int      # transfers in flight
    legs: list
    requests: int    # a transfer's read requests
    latency: float   # seconds of a transfer that meets nobody


class Network:
    """Links, and flows on them."""

    def __init__(self, scenario):
        self.devices, self.parent, self.link = scenario["devices"], {}, {}
        for link in scenario["links"]:
            self.parent[link["to"]] = link["from"]
            self.link[link["to"]] = link
        for name, device in self.devices.items():
            if device["kind"] == "host_memory":
                self.parent[name] = device.get("at", "rc")
        ends = [n for n, d in self.devices.items() if d["kind"] in ("gpu", "dma_card", "nic")]
        self.max_payload = max(self.function(n, "max_payload") for n in ends)       # of the hierarchy: sets ack limits
        self.host_payload = min(self.function(n, "max_payload") for n in ends)
        self.flows = [self.flow(t) for t in scenario["traffic"]]

    def function(self, device, key):
        value = self.devices[device].get("function", {}).get(key, DEFAULTS[key])
        return value if key == "tags" else int(quantity(value))

    def completion(self, device):
        """Bytes of the completions of its reads, at most."""
        return self.host_payload if self.devices[device]["kind"] == "host_memory" else self.function(device, "max_payload")

    def shape(self, direction):
        return self.link[direction[0]]["generation"], self.link[direction[0]]["width"]

    def capacity(self, direction):
        """Bytes a second for TLPs and DLLPs; no limit where host memory is joined to its root complex."""
        return links.rate(*self.shape(direction)) if direction[0] in self.link else float("inf")

    def framing(self, direction):
        return links.framing(self.shape(direction)[0]) if direction[0] in self.link else 0

    def credits(self, direction, key):
        """Advertised at the receiver of a direction; 0: as many as are wanted."""
        return self.link[direction[0]].get("credits", {}).get(key, CREDITS[key]) if direction[0] in self.link else 0

    def above(self, node):
        chain = [node]
        while chain[-1] in self.parent:
            chain.append(self.parent[chain[-1]])
        return chain

    def path(self, start, end):
        """Directions of links from one device to another."""
        up, down = self.above(start), self.above(end)
        turn = next(n for n in up if n in down)
        return [(n, "up") for n in up[:up.index(turn)]] + [(n, "down") for n in reversed(down[:down.index(turn)])]

    def transmitter(self, direction):
        """The device that sends on a direction."""
        return self.parent[direction[0]] if direction[1] == "down" else direction[0]

    def latency(self, device):
        return quantity(self.devices[device].get("latency", LATENCY[self.devices[device]["kind"]]))

    def read_latency(self, device):
        return quantity(self.devices[device].get("read_latency", READ_LATENCY[self.devices[device]["kind"]]))

    def along(self, path, queue, tlp_class, tlps, data, header):
        """Legs of equal TLPs: at their sender they wait in `queue`, at a router behind the port by which they came."""
        legs = []
        for n, direction in enumerate(path):
            ingress = queue if n == 0 else path[n - 1]
            overhead = header + self.framing(direction)
            legs.append(Leg(direction, (ingress, tlp_class), tlps, data + tlps * overhead, -(-data // tlps) + overhead))
        return legs

    def serialisation(self, leg):
        """Seconds of one TLP on the line."""
        return leg.tlp_bytes / self.capacity(leg.direction)

    def propagation(self, leg):
        link = self.link.get(leg.direction[0])
        return quantity(link.get("propagation", PROPAGATION)) if link else 0.0

    def hop(self, leg, after):
        """Seconds from the start of a TLP on one leg to its start on the one after: cut through the router between them."""
        wait = max(0.0, self.serialisation(leg) - self.serialisation(after))
        return self.propagation(leg) + wait + self.latency(self.transmitter(after.direction))

    def passing(self, legs, tlps):
        """Seconds from the start of the first of so many TLPs to the end of the last, if they meet nobody."""
        starts = [0.0] * tlps
        for before, leg in zip([None, *legs], legs):
            hop, line, free = self.hop(before, leg) if before else 0.0, self.serialisation(leg), 0.0
            for i in range(tlps):
                starts[i] = max(starts[i] + hop, free)
                free = starts[i] + line
        return starts[-1] + self.serialisation(legs[-1]) + self.propagation(legs[-1])

    def flow(self, traffic):
        name, kind, source, target = (traffic[k] for k in ("name", "kind", "from", "to"))
        size = int(quantity(traffic["sizes"]))
        there, back = self.path(source, target), self.path(target, source)
        window = self.devices[source].get("outstanding", IN_FLIGHT)
        if kind == "write":
            legs = self.along(there, name, "P", -(-size // self.function(source, "max_payload")), size, links.REQUEST)
            requests, latency = 0, self.passing(legs, legs[0].tlps)
        else:
            requests = -(-size // self.function(source, "max_read_request"))
            asked = self.along(there, name, "NP", requests, 0, links.REQUEST)
            answers = self.along(back, "answers", "CPL", -(-size // self.completion(target)), size, links.COMPLETION)
            latency = self.passing(asked, 1) + self.read_latency(target) + self.passing(answers, answers[0].tlps)
            legs = asked + answers
        return Flow(name, kind, source, target, size, quantity(traffic["rate"]) / 8 / size, window, legs, requests, latency)

    def directions(self):
        return sorted({leg.direction for flow in self.flows for leg in flow.legs if leg.direction[0] in self.link})

    def loads(self, rates):
        """By direction: bytes and TLPs a second, of so many transfers a second of each flow."""
        bytes_, tlps = collections.Counter(), collections.Counter()
        for flow in self.flows:
            for leg in flow.legs:
                bytes_[leg.direction] += rates[flow.name] * leg.bytes
                tlps[leg.direction] += rates[flow.name] * leg.tlps
        return bytes_, tlps

    def dllps(self, direction, tlps):
        """Bytes a second that link-layer packets take of a direction, at most, if the other one carries so many TLPs."""
        if direction[0] not in self.link:
            return 0.0
        other = (direction[0], "down" if direction[1] == "up" else "up")
        return links.dllps(*self.shape(direction), self.max_payload, tlps[other])
