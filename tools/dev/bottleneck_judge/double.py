"""Doubles a resource of a scenario by the name that a bottleneck has: what it is in the file, worked out from the name alone."""

import copy
import re

UNITS = {"ns": 1, "us": 1e3, "Gbps": 1, "Mbps": 1e-3, "B": 1, "KiB": 1024, "MiB": 1 << 20}


def scaled(value, factor):
    """A number, or a text with its unit."""
    if not isinstance(value, str):
        return max(1, round(value * factor))
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]+)", value).groups()
    return f"{round(float(number) * factor * 1000) / 1000:g}{unit}"


def change(config, factor, *keys, default=None):
    """Whether one of the keys was there, or has a default."""
    found = False
    for key in keys:
        if key in config:
            config[key], found = scaled(config[key], factor), True
        elif default and key in default:
            config[key], found = scaled(default[key], factor), True
    return found


DEFAULTS = {"outstanding": 64, "tags": 256, "prefetch": 64, "rx_fifo": "1MiB", "queue_depth": 64, "interrupt_moderation": "20us",
            "read_rate": "3200Gbps", "write_rate": "3200Gbps"}
CREDITS = {"posted_header": 128, "posted_data": 2048, "non_posted_header": 128, "non_posted_data": 128}
COSTS = {"packet_cost": "300ns", "interrupt_cost": "1us", "wakeup_cost": "1us"}


def link(scenario, name):
    """Twice the lanes; a generation more where there are sixteen."""
    wide = next((l for l in scenario["links"] if f"{l['to'].split('.')[0]}-{l['from'].split('.')[0]}" == name), None)
    if wide is None:
        return False
    if wide.get("width", 16) <= 8:
        wide["width"] *= 2
    elif wide.get("generation", 5) < 6:
        wide["generation"] = wide.get("generation", 5) + 1
    else:
        return False
    return True


def credits(scenario, pool, name):
    wide = next(l for l in scenario["links"] if f"{l['to']}-{l['from']}" == name)
    return change(wide.setdefault("credits", {}), 2, pool.replace(" ", "_").replace("-", "_"), default=CREDITS)


def in_flight(scenario, device, entry):
    for t in scenario["traffic"]:
        if t["from"] == device and entry in (None, t["name"]) and "outstanding" in t:
            return change(t, 2, "outstanding")
    return change(scenario["devices"][device], 2, "outstanding", default=DEFAULTS)


def cores(scenario, device):
    return change(scenario["devices"][device], 0.5, *COSTS, "byte_cost_per_kib", "doorbell_cost", default=COSTS)


def of_device(*keys, factor=2, inside=None):
    def apply(scenario, device, *_):
        config = scenario["devices"][device]
        return change(config.setdefault(inside, {}) if inside else config, factor, *keys, default=DEFAULTS)
    return apply


RULES = (
    (r"link (\S+) (?:up|down)", link),
    (r"(.+) credits of link (\S+) (?:up|down)", credits),
    (r"(\S+) tags", of_device("tags", inside="function")),
    (r"(\S+) transfers in flight(?: of (\S+))?", in_flight),
    (r"(\S+) medium", of_device("read_rate", "write_rate")),
    (r"(\S+) queue depth", of_device("queue_depth")),
    (r"(\S+) concurrent peer reads", of_device("peer_reads")),
    (r"(\S+) receive FIFO", of_device("rx_fifo")),
    (r"(\S+) descriptor prefetch", of_device("prefetch")),
    (r"(\S+) interrupt moderation", of_device("interrupt_moderation", factor=0.5)),
    (r"(\S+) DMA engine", of_device("write_chunk", "write_issue", "read_issue", "command", factor=0.5)),
    (r"(\S+), its busiest core", cores),
    (r"(\S+)", of_device("write_rate", "read_rate")))


def double(scenario, limit, entry):
    """The scenario with twice of what limits an entry; None if the name says nothing that could be doubled."""
    other = copy.deepcopy(scenario)
    if limit == "the arrival rate":
        offered = next(t for t in other["traffic"] if t["name"] == entry)
        nic = other["devices"][offered["from"]]
        if nic["kind"] == "nic":  # which offers no more than its wire carries
            change(nic, 2, "wire_rate")
        return other if change(offered, 2, "rate") else None
    for pattern, apply in RULES:
        found = re.fullmatch(pattern, limit)
        if found:
            known = apply in (link, credits) or found[1] in scenario["devices"]
            return other if known and apply(other, *found.groups()) else None
    return None
