"""What a run is held to: each rule yields what is broken."""

import closed_form
import shares
from network import Network, quantity

RULES = {
    "runs": "a valid scenario runs",
    "share": "every flow gets 97 % of its share by turns at the full links of its way",
    "max_min": "where turns are fair by themselves, every flow gets 97 % of its max-min fair share",
    "work_conserving": "a flow that wants more has a full link on its way",
    "spreading": "a flow that wants more has a full link or no credits left on its way, or shares credits with one that has",
    "equal": "writes of one device that all want more have equal turns",
    "capacity": "no link carries more than its rate",
    "round_trip": "a flow that is alone gets the least of line, credits and tags by their round trips, within 3 %",
}
ENOUGH = 0.97
MOST = 1.005  # of a link's rate: queues at the ends of the window


def reached(network, metrics, seconds):
    """Transfers a second, by flow."""
    return {f.name: metrics[f"{f.name}.payload_bytes"] / f.size / seconds for f in network.flows}


def text(flow, rate):
    return f"{rate * flow.size * 8e-9:.2f} Gb/s"


def alone(network):
    """Whether no two flows have a direction of a link in common."""
    seen = [leg.direction for f in network.flows for leg in f.legs if leg.direction[0] in network.link]
    return len(seen) == len(set(seen))


def endless(network):
    """Whether no credits are counted."""
    keys = [key for each in closed_form.CREDITS_OF.values() for key in each]
    return all(network.credits(d, key) == 0 for d in network.directions() for key in keys)


def judge(scenario, metrics):
    """(rule, sentence) of all that is broken. A transfer counts whole, so one more or less proves nothing."""
    network = Network(scenario)
    seconds = quantity(scenario["run"]["measure"])
    got, grain = reached(network, metrics, seconds), 1 / seconds
    yield from capacity(network, got)
    if endless(network):
        yield from share(network, got, grain)
        if shares.equal_turns(network):
            yield from max_min(network, got, grain)
        yield from work_conserving(network, got, grain)
    elif alone(network):
        yield from round_trip(network, got, grain)
    else:
        yield from spreading(network, got, grain)
        yield from equal(network, got, grain)


def capacity(network, got):
    bytes_, _ = network.loads(got)
    for direction in network.directions():
        if bytes_[direction] > MOST * network.capacity(direction):
            yield "capacity", f"{' '.join(direction)} carries {bytes_[direction] / network.capacity(direction):.3f} of its rate"


def share(network, got, grain):
    found = shares.by_turns(network)
    if found is None:
        raise ValueError("the shares do not settle")
    yield from short("share", network, got, found.rates(), grain)


def max_min(network, got, grain):
    yield from short("max_min", network, got, shares.water_filling(network), grain)


def short(rule, network, got, rates, grain):
    for flow in network.flows:
        if got[flow.name] < ENOUGH * rates[flow.name] - grain:
            yield rule, f"{flow.name} has {text(flow, got[flow.name])} of {text(flow, rates[flow.name])}"


def work_conserving(network, got, grain):
    for flow, fullest, busy in wanting(network, got, grain):
        if busy < ENOUGH:
            yield "work_conserving", idle(flow, got, fullest, busy)


def wanting(network, got, grain):
    """Flows that want more, each with the fullest of what it needs, links and credits, and how full that is."""
    bytes_, tlps = network.loads(got)
    busy = {d: (bytes_[d] + network.dllps(d, tlps)) / network.capacity(d) for d in network.directions()}
    needed = {f.name: {leg.direction for leg in f.legs if leg.direction in busy} for f in network.flows}
    for flow in network.flows:
        for place, use in closed_form.credit_uses(network, flow):
            busy[place] = busy.get(place, 0.0) + use * got[flow.name]
            needed[flow.name].add(place)
    for flow in network.flows:
        if got[flow.name] < ENOUGH * flow.offered - grain:
            fullest = max(needed[flow.name], key=busy.get)
            yield flow, fullest, busy[fullest]


def idle(flow, got, fullest, busy):
    wanted = f"{text(flow, got[flow.name])} of {text(flow, flow.offered)} wanted"
    return f"{flow.name} has {wanted}, and the fullest of its way is {' '.join(fullest)}, {100 * busy:.1f} %"


def spreading(network, got, grain):
    """Credits belong to the class of an ingress, and a TLP waits for writes before it: one held up there holds up all."""
    left = list(wanting(network, got, grain))
    held = {}
    for flow in network.flows:
        held[flow.name] = {(leg.direction, leg.slot[1]) for leg in flow.legs if leg.slot[1] != "CPL"}
        held[flow.name] |= {(leg.direction, leg.slot[0]) for leg in flow.legs}
    reached_by = set().union(*(held[f.name] for f, _, busy in left if busy >= ENOUGH))
    left = [each for each in left if each[2] < ENOUGH]
    while near := [each for each in left if held[each[0].name] & reached_by]:
        reached_by.update(*(held[f.name] for f, _, _ in near))
        left = [each for each in left if each not in near]
    for flow, fullest, busy in left:
        yield "spreading", idle(flow, got, fullest, busy)


def equal(network, got, grain):
    """Of those whose transfers in flight are more than all credits of their way: they wait at the device itself."""
    waiting = {}
    for flow, _, _ in wanting(network, got, grain):
        credits = sum(network.credits(leg.direction, "posted_header") for leg in flow.legs)
        if flow.kind == "write" and flow.window * flow.legs[0].tlps > 2 * credits:
            waiting.setdefault(flow.source, []).append(flow)
    for flows in waiting.values():
        turns = {f.name: got[f.name] * f.legs[0].tlps for f in flows}
        most = max(flows, key=lambda f: turns[f.name])
        for flow in flows:
            if turns[flow.name] < ENOUGH * turns[most.name] - 2 * grain * flow.legs[0].tlps:
                yield "equal", f"{flow.name} has {text(flow, got[flow.name])} where {most.name} has {text(most, got[most.name])}"


def round_trip(network, got, grain):
    for flow in network.flows:
        limits = closed_form.limits(network, flow)
        least = min(limits, key=limits.get)
        if abs(got[flow.name] - limits[least]) > (1 - ENOUGH) * limits[least] + grain:
            yield "round_trip", f"{flow.name} has {text(flow, got[flow.name])}, {least} gives {text(flow, limits[least])}"
