"""Parts of a network's scenario that may be left out as long as the same thing is broken, the large ones first."""

import copy

TRAFFIC = ("rdma", "collectives", "traces", "tcp")
SECTIONS = ("events", "nodes", "slow_hosts", "servers", "switches", "nics", "tcp_stack", "tcp_hosts", *TRAFFIC)
NEEDED = ("name", "from", "to", "hosts", "file", "scenario", "at", "kind")


def parts(scenario):
    for section in SECTIONS:
        if section in scenario:
            yield (section,)
    for section in SECTIONS:
        part = scenario.get(section)
        if isinstance(part, list):
            for n in reversed(range(len(part))):
                yield (section, n)
    for section in ("run", *SECTIONS):
        part = scenario.get(section, {})
        for way, item in [((section,), part)] if isinstance(part, dict) else [((section, n), x) for n, x in enumerate(part)]:
            for key in item:
                if key not in NEEDED:
                    yield (*way, key)
    for section in TRAFFIC:
        for n, entry in enumerate(scenario.get(section, ())):
            for key in ("from", "hosts"):
                for host in reversed(range(len(entry.get(key, ())))):
                    yield (section, n, key, host)


def without(scenario, way):
    """None if no traffic would remain."""
    out = copy.deepcopy(scenario)
    part = out
    for key in way[:-1]:
        part = part[key]
    if isinstance(part, list) and len(way) == 4 and len(part) == 1:
        return None
    del part[way[-1]]
    return out if any(out.get(section) for section in TRAFFIC) else None
