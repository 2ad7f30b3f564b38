"""What a flow reaches that meets nobody: the least of what is offered, the line, credits and tags by their round trips."""

from network import UPDATE_FC, quantity

CREDITS_OF = {"P": ("posted_header", "posted_data"), "NP": ("non_posted_header", "non_posted_data")}
DATA_CREDIT = 16  # bytes


def credit_loop(network, leg, after):
    """Seconds from the start of a TLP until its credits can be used again: it has left the router or arrived, and UpdateFC."""
    link = network.link[leg.direction[0]]
    if after is None:
        left = network.serialisation(leg) + network.propagation(leg)
    else:
        left = network.hop(leg, after) + network.serialisation(after)
    return left + quantity(link.get("update_fc", UPDATE_FC))


def credit_uses(network, flow):
    """By direction and class: the part of its credits that one transfer a second takes, with its TLPs held up by nobody."""
    for tlp_class in ("P", "NP"):
        legs = [leg for leg in flow.legs if leg.slot[1] == tlp_class]
        for leg, after in zip(legs, [*legs[1:], None]):
            header, data = (network.credits(leg.direction, key) for key in CREDITS_OF[tlp_class])
            units = -(-flow.size // leg.tlps // DATA_CREDIT) if tlp_class == "P" else 0
            held = [header] if header else []
            held += [data // units] if data and units else []
            if held:
                yield (*leg.direction, tlp_class), leg.tlps * credit_loop(network, leg, after) / min(held)


def tag_limit(network, flow):
    """Transfers a second that the tags allow: each is taken from the start of a request to the end of its last completion."""
    asked = [leg for leg in flow.legs if leg.slot[1] == "NP"]
    answers = [leg for leg in flow.legs if leg.slot[1] == "CPL"]
    back = network.passing(answers, answers[0].tlps // flow.requests)
    trip = network.passing(asked, 1) + network.read_latency(flow.target) + back
    return network.function(flow.source, "tags") / trip / flow.requests


def limits(network, flow):
    """Transfers a second by what limits them."""
    out = {"offered": flow.offered, "window": flow.window / flow.latency}
    for place, use in credit_uses(network, flow):
        out[f"credits {' '.join(place)}"] = 1 / use
    if flow.kind == "read":
        out["tags"] = tag_limit(network, flow)
    for leg in flow.legs:
        if leg.direction in network.directions():
            out[f"line {' '.join(leg.direction)}"] = network.capacity(leg.direction) / leg.bytes
    return out
