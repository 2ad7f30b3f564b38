"""Bytes of each entry, and the closed forms of the links on its way: judged from what the results say, without the program's verdicts."""

import re

UNITS = {"bps": 1, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
LEAST_HEADER = 12  # bytes of a TLP of three double words, without framing
FRAME = 66 + 24  # bytes of a frame beside its payload: Ethernet, IPv4, TCP with timestamps; preamble, FCS and gap


def bits(rate):
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]+)", rate).groups()
    return float(number) * UNITS[unit]


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]+)", text).groups()
    return int(number) * {"B": 1, "KiB": 1024, "MiB": 1 << 20}[unit]


def sizes_of(run, t):
    """Of frames or transfers; those that come by a cable have the sender's."""
    if "sender" in t:
        t = next(s for s in run.document["scenario"]["traffic"] if s["name"] == t["sender"])
    return [bytes_of(s) for s in (t["sizes"] if isinstance(t["sizes"], list) else [t["sizes"]])]


def offered_bytes(run, name):
    return run.metrics[f"{name}.offered_gbps"] * run.document["simulated_ns"] / 8


def failed_bytes(run, t):
    """Bytes that ended without arriving. Programs with sockets go on after an access that failed, and staged copies after a write
    to host memory: these bytes end later."""
    m, name = run.metrics, t["name"]
    lost = 0 if t.get("through") else m[f"{name}.lost_bytes"]
    return 0 if t["kind"] == "gpunet" else lost + m[f"{name}.all_ones_bytes"]


def bytes_of_entries_add_up(scenario, run):
    """goodput + drops + what failed + growth of the backlog = offered"""
    for t in run.document["scenario"]["traffic"]:
        m, name = run.metrics, t["name"]
        sizes, drops = sizes_of(run, t), m[f"{name}.dropped_packets"]
        offered = offered_bytes(run, name)
        grown = m[f"{name}.queued_at_end_bytes"] - m[f"{name}.queued_at_begin_bytes"]
        ended = m[f"{name}.payload_bytes"] + failed_bytes(run, t)
        mean, spread = sum(sizes) / len(sizes), max(sizes) - min(sizes)
        if "sender" in t:  # frames, into which the NIC has cut what was sent
            mean, spread = offered / max(m[f"{name}.offered_packets"], 1), max(sizes)
        slack = 1 + drops * spread  # a rate is rounded, and a drop does not tell its size where sizes differ
        if abs(ended + drops * mean + grown - offered) > slack:
            yield (f"{name}: {ended} B ended, {drops} frames were dropped, the backlog grew by {grown} B, "
                   f"and {offered:.0f} B were offered")


def bytes_go_with_their_packets(scenario, run):
    """Where nothing fails and nothing stood in queues: each packet that ended brought its bytes, and only others' are on their way.

    A drive's completions go to host memory, and may overtake what it writes elsewhere: PCIe orders only what takes the same way.
    """
    if run.document["warmup_ns"]:
        return
    for t in run.document["scenario"]["traffic"]:
        m, name = run.metrics, t["name"]
        drive = run.document["scenario"]["devices"][t["from"]]["kind"] == "nvme"
        if "sender" in t or m[f"{name}.failed_transfers"] or (drive and t["kind"] == "write"):
            continue
        ended = m[f"{name}.delivered_packets"]
        under_way = m[f"{name}.offered_packets"] - ended - m[f"{name}.dropped_packets"]
        least, most = min(sizes_of(run, t)), max(sizes_of(run, t))
        if m[f"{name}.payload_bytes"] < ended * least:
            yield f"{name}: {ended} packets ended, and {m[f'{name}.payload_bytes']} B arrived"
        if m[f"{name}.queued_at_end_bytes"] > under_way * most + m[f"{name}.dropped_packets"] * (most - least):
            yield f"{name}: {under_way} packets are under way, and {m[f'{name}.queued_at_end_bytes']} B"


def climb(run, device):
    """Links from a device up to the root complex of its memory, and their nearer ends."""
    above = {side["farther"]: side for side in run.document["ledger"]}
    way = []
    while device in above:
        way.append(above[device])
        device = above[device]["nearer"]
    return way


def links_between(run, start, end):
    """Links that payload from one device to another takes at least, with the direction: up from the one, down to the other."""
    up, down = ([(side["link"], side["rate_bps"]) for side in climb(run, device)] for device in (start, end))
    both = {link for link, _ in up} & {link for link, _ in down}
    return ([(link, "up", rate) for link, rate in up if link not in both] +
            [(link, "down", rate) for link, rate in down if link not in both])


def payload_ends(t):
    """Where the payload of an entry comes from and goes to; None where other ways are possible."""
    if t["kind"] == "receive" and t.get("path", "zero_copy") == "zero_copy":
        return t["from"], t["to"]
    if t["kind"] == "transmit" and t.get("path", "zero_copy") == "zero_copy":
        return t["to"], t["from"]
    return {"write": (t["from"], t["to"]), "read": (t["to"], t["from"])}.get(t["kind"])


def goodput_is_within_the_links(scenario, run):
    """At most what each link carries of payload, and what was beyond it already when the window began."""
    if any(e["kind"] == "retrain" for e in scenario.get("events", ())) or any("bar1" in d for d in scenario["devices"].values()):
        return  # rates differ within the window; what does not fit a BAR may go another way
    window = run.document["simulated_ns"] / 1e9
    devices = run.document["scenario"]["devices"]
    for t in run.document["scenario"]["traffic"]:
        ends = payload_ends(t)
        if ends is None or any(devices[end]["kind"] == "odp_nic" for end in ends):
            continue
        name = t["name"]
        arrived, before = (run.metrics[f"{name}.{key}_bytes"] for key in ("payload", "queued_at_begin"))
        payload = max(bytes_of(devices[end].get("function", {}).get("max_payload", "512B")) for end in ends)
        payload = max(min(payload, max(sizes_of(run, t))), 4)
        for link, direction, rate in links_between(run, *ends):
            most = rate * window / 8 * payload / (payload + LEAST_HEADER) + before + 4096
            if arrived > most:
                yield f"{name}: {arrived} B arrived over {link} {direction}, which carries at most {most:.0f} B of payload"
        nic = devices[t["from"]]
        if t["kind"] in ("receive", "transmit"):
            size = max(sizes_of(run, t))
            frame = min(size, 9000) if t["kind"] == "receive" else 9000
            most = bits(nic["wire_rate"]) * window / 8 * frame / (frame + FRAME) + before + 4 * max(size, 9000)
            # What a NIC has read for sending waits in its FIFO.
            most += bytes_of(nic["tx_fifo"]) if t["kind"] == "transmit" else 0
            if arrived > most:
                yield f"{name}: {arrived} B arrived by a wire of {nic['wire_rate']}, which carries at most {most:.0f} B"


def sentences_have_percentages(scenario, run):
    """A share in a sentence is at most 100 %; only a gain may be more."""
    for text in (run.document["bottleneck"], *(w for w in run.document["warnings"])):
        for number, more in re.findall(r"([0-9.]+) %( more)?", str(text)):
            if not more and float(number) > 100:
                yield f"{number} % in \"{text}\""


def an_arrival_rate_limits_what_arrives(scenario, run):
    """Where less than 90 % arrived, what is missing was offered at once, or no longer ago than the largest latency."""
    window = run.document["simulated_ns"]
    limits = {t["name"]: t["limit"] for t in run.document["traffic"]}
    for t in run.document["scenario"]["traffic"]:
        m, name = run.metrics, t["name"]
        failed = m[f"{name}.lost_bytes"] + m[f"{name}.all_ones_bytes"]
        offered = offered_bytes(run, name)
        missing = offered - m[f"{name}.payload_bytes"] - failed
        if limits[name] != "the arrival rate" or missing <= 0.1 * offered:
            continue
        if "sender" in t:
            continue  # its frames come when the sender gets them out
        device = run.document["scenario"]["devices"][t["from"]]
        at_once = max(sizes_of(run, t)) * (t["burst"] if t["arrival"] == "burst" else 1) * (
            max(device["queues"], t["flows"]) if t["kind"] == "transmit" else 1)
        recent = offered * (m[f"{name}.latency_max_ns"] or 0) / window
        if m[f"{name}.dropped_packets"] or missing > at_once + recent + 8:
            yield f"{name}: {missing:.0f} of {offered:.0f} B did not arrive, and its limit is the arrival rate"
        if run.document["bottleneck"].startswith("the arrival rate") and f" of {name}" not in run.document["bottleneck"]:
            yield f"{missing / offered:.0%} of {name} did not arrive, and \"{run.document['bottleneck']}\" does not say so"


ALL = (bytes_of_entries_add_up, bytes_go_with_their_packets, goodput_is_within_the_links, sentences_have_percentages, an_arrival_rate_limits_what_arrives)
