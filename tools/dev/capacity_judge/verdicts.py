"""What a run is held to: each rule yields what is broken."""

import closed_form
import shares
from network import Network, quantity

RULES = {
    "runs": "a valid scenario runs",
    "share": "every flow gets 97 % of its share by turns at the full links of its way",
    "max_min": "where turns are fair by themselves, every flow gets 97 % of its max-min fair share",
    "work_conserving": "a flow that wants more has a full link on its way",
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
        raise ValueError("flows that share links with few credits or tags: nothing is worked out for them")


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
    bytes_, tlps = network.loads(got)
    busy = {d: (bytes_[d] + network.dllps(d, tlps)) / network.capacity(d) for d in network.directions()}
    for flow in network.flows:
        if got[flow.name] < ENOUGH * flow.offered - grain:
            fullest = max((leg.direction for leg in flow.legs if leg.direction in busy), key=busy.get)
            if busy[fullest] < ENOUGH:
                wanted = f"{text(flow, got[flow.name])} of {text(flow, flow.offered)} wanted"
                most = f"{' '.join(fullest)} {100 * busy[fullest]:.1f} %"
                yield "work_conserving", f"{flow.name} has {wanted}, and the fullest link of its way is {most}"


def round_trip(network, got, grain):
    for flow in network.flows:
        limits = closed_form.limits(network, flow)
        least = min(limits, key=limits.get)
        if abs(got[flow.name] - limits[least]) > (1 - ENOUGH) * limits[least] + grain:
            yield "round_trip", f"{flow.name} has {text(flow, got[flow.name])}, {least} gives {text(flow, limits[least])}"
