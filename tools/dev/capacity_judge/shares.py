"""The share of each flow: what the links' capacities leave it if the stated turns are kept.

What is stated: at an egress, the slots (an ingress and a class) that want it take turns, one TLP a turn; a slot is first in,
first out; within an ingress and egress a read request or a completion does not pass a write. Nothing else waits for anything. A
flow keeps `window` transfers in flight. As a fluid this is: a flow with W in flight has the rate W / (latency + waits), and at
each full link the waits of the slots are those at which the slots that wait have equal turns, and the others all that they
want. Where each slot has one flow and TLPs are equal (`equal_turns`), these are the max-min fair shares, which `water_filling`
works out without turns, waits and windows.
"""

import collections

PRECISION = 1e-6  # of turns a second
SWEEPS = 400      # over all directions, at most
SLOPE = 0.002
NEARLY = 0.95     # full


class Slot:
    """One slot at one direction: flows, each with its TLPs and bytes a transfer."""

    def __init__(self, key):
        self.key, self.flows, self.wait = key, [], 0.0

    def add(self, flow, leg):
        self.flows.append((flow, leg.tlps, leg.bytes))


class Equilibrium:
    """Waits of slots and transfers, settled one direction after the other, from the sources on, until nothing changes."""

    def __init__(self, network):
        self.network = network
        self.flows = network.flows
        slots, matter = {}, self.directions()
        for flow in self.flows:
            for leg in flow.legs:
                if leg.direction in matter:
                    key = (leg.direction, *leg.slot)
                    slots.setdefault(key, Slot(key)).add(flow, leg)
        self.by_direction = collections.defaultdict(list)
        for key, slot in slots.items():
            self.by_direction[key[0]].append(slot)
        for each in self.by_direction.values():  # posted ones first: the others of their lane wait for them
            each.sort(key=lambda s: ("P", "NP", "CPL").index(s.key[2]))
        self.waits = {flow.name: flow.latency for flow in self.flows}  # of a transfer, all told

    def directions(self):
        """Those that could be full at all."""
        most = {flow.name: min([flow.offered, flow.window / flow.latency] +
                               [self.network.capacity(leg.direction) / leg.bytes for leg in flow.legs])
                for flow in self.flows}
        bytes_, tlps = self.network.loads(most)
        return {d for d in self.network.directions()
                if bytes_[d] + self.network.dllps(d, tlps) > 0.98 * self.network.capacity(d)}

    def rate(self, flow, wait):
        # A flow that gets all it offers may wait for as long as its window lasts: of these waits the slope makes one the answer.
        filled = max(0.0, wait) * flow.offered / flow.window
        return flow.offered * (1 - SLOPE * filled) if filled <= 1 else (1 - SLOPE) * flow.window / wait

    def wanted(self, slot, wait):
        """TLPs a second of a slot whose TLPs wait so long."""
        return sum(n * self.rate(f, self.waits[f.name] - slot.wait + wait) for f, n, _ in slot.flows)

    def wait_for(self, slot, turns, least):
        """The wait at which a slot wants no more than so many turns a second."""
        if self.wanted(slot, least) <= turns:
            return least
        low, high = least, max(2 * slot.wait, 2 * least, 1e-6)
        while self.wanted(slot, high) > turns:
            low, high = high, 4 * high
        for _ in range(60):
            middle = (low + high) / 2
            if self.wanted(slot, middle) > turns:
                low = middle
            else:
                high = middle
            if high - low < 1e-3 * PRECISION * high:
                break
        return high

    def settle(self, direction, room):
        """Waits of the slots of one direction that leave its load at most `room`, with equal turns."""
        slots = self.by_direction[direction]

        def waits(turns):
            out = {}
            for slot in slots:
                _, ingress, tlp_class = slot.key
                lane = (direction, ingress, "P")
                out[slot.key] = self.wait_for(slot, turns, out.get(lane, 0.0) if tlp_class != "P" else 0.0)
            return out

        def load(found):
            return sum(b * self.rate(f, self.waits[f.name] - s.wait + found[s.key]) for s in slots for f, _, b in s.flows)

        most = max(self.wanted(s, 0.0) for s in slots)
        found = waits(most)
        if load(found) > room:
            low, high = 0.0, most
            for _ in range(50):
                turns = (low + high) / 2
                found = waits(turns)
                if load(found) > room:
                    high = turns
                else:
                    low = turns
                if high - low < PRECISION * high:
                    break
            found = waits(low)
        for slot in slots:
            for flow, _, _ in slot.flows:
                self.waits[flow.name] += found[slot.key] - slot.wait
            slot.wait = found[slot.key]

    def rates(self):
        return {f.name: self.rate(f, self.waits[f.name]) for f in self.flows}

    def unsettled(self):
        """The most by which a direction is overfull, or not full although a slot waits for its turn there: a part of its rate."""
        bytes_, tlps = self.network.loads(self.rates())
        most = 0.0
        for direction, slots in self.by_direction.items():
            posted = {s.key[1]: s.wait for s in slots if s.key[2] == "P"}
            left = 1 - (bytes_[direction] + self.network.dllps(direction, tlps)) / self.network.capacity(direction)
            waits = any(s.wait > 0 and (s.key[2] == "P" or s.wait > posted.get(s.key[1], 0.0)) for s in slots)
            most = max(most, left if waits else 0.0, -left)
        return most

    def slow_to_settle(self):
        """Whether queues would stay for long where they form first: at a direction that is nearly full, or in a slot that
        nearly has its turns, nobody waits in the end, but what is left is too little for the queue to leave soon."""
        bytes_, tlps = self.network.loads(self.rates())
        for direction, slots in self.by_direction.items():
            busy = (bytes_[direction] + self.network.dllps(direction, tlps)) / self.network.capacity(direction)
            if all(s.wait == 0 for s in slots) and NEARLY < busy < 1 - 1e-3:
                return True
            turns = max((self.wanted(s, s.wait) for s in slots if s.wait > 0), default=float("inf"))
            if any(s.wait == 0 and self.wanted(s, 0.0) > NEARLY * turns for s in slots):
                return True
        return False

    def solve(self):
        """Whether the waits settle."""
        rates = self.rates()
        for _ in range(SWEEPS):
            before = rates
            for direction in self.by_direction:
                _, tlps = self.network.loads(self.rates())
                self.settle(direction, self.network.capacity(direction) - self.network.dllps(direction, tlps))
            rates = self.rates()
            if all(abs(rates[n] - before[n]) <= 2e-4 * rates[n] for n in rates) and self.unsettled() < 2e-3:
                return True
        return False


def by_turns(network):
    """The equilibrium, None where it is not found: `rates` in transfers a second of each flow, `waits` in seconds a transfer."""
    found = Equilibrium(network)
    return found if found.solve() else None


def equal_turns(network):
    """Whether turns are fair by themselves: at each direction each slot has one flow, and all TLPs have one size."""
    slots, sizes = [], collections.defaultdict(set)
    for flow in network.flows:
        for leg in flow.legs:
            slots.append((leg.direction, leg.slot))
            sizes[leg.direction].add(leg.tlp_bytes)
    return len(slots) == len(set(slots)) and all(len(each) == 1 for d, each in sizes.items() if d[0] in network.link)


def water_filling(network):
    """Max-min fair shares: the payload of all flows grows alike until a link of theirs is full or they want no more."""
    full = {d: network.capacity(d) for d in network.directions()}
    rates = {}
    for _ in range(3):  # DLLPs take what the TLPs of the rates before cause
        rates, growing = {f.name: 0.0 for f in network.flows}, {f.name for f in network.flows}
        while growing:
            bytes_, tlps = network.loads(rates)
            slope, _ = network.loads({f.name: 1 / f.size if f.name in growing else 0.0 for f in network.flows})
            steps = [(full[d] - bytes_[d]) / slope[d] for d in full if slope[d] > 0]
            steps += [(f.offered - rates[f.name]) * f.size for f in network.flows if f.name in growing]
            for flow in network.flows:
                rates[flow.name] += max(0.0, min(steps)) / flow.size if flow.name in growing else 0.0
            bytes_, tlps = network.loads(rates)
            growing -= {f.name for f in network.flows
                        if rates[f.name] >= f.offered * (1 - 1e-9)
                        or any(bytes_[d] >= full[d] * (1 - 1e-9) for d in (leg.direction for leg in f.legs) if d in full)}
        full = {d: network.capacity(d) - network.dllps(d, tlps) for d in full}
    return rates
