"""Makes a failing scenario small: parts are left out as long as the same thing is broken."""

import copy


def parts(scenario):
    """Ways to the parts that may be left out, the large ones first."""
    for key in ("events", "arbitration"):
        if key in scenario:
            yield (key,)
    for key in ("events", "traffic", "arbitration"):
        for n in reversed(range(len(scenario.get(key, ())))):
            yield (key, n)
    for name in scenario["devices"]:
        yield ("devices", name)
    for way in inner(scenario["devices"], ("devices",), 2):
        yield way
    for key in ("links", "traffic", "events"):
        part = scenario.get(key, {})
        if isinstance(part, dict):
            yield from inner(part, (key,), 0)
        else:
            for n, item in enumerate(part):
                yield from inner(item, (key, n), 0)


def inner(part, way, depth):
    for key, value in part.items():
        if key not in ("kind", "from", "to", "name", "device", "at"):
            if len(way) > 1 or way[0] not in ("devices",):
                yield (*way, key)
            if isinstance(value, dict):
                yield from inner(value, (*way, key), depth - 1)


def without(scenario, way):
    out = copy.deepcopy(scenario)
    part = out
    for key in way[:-1]:
        part = part[key]
    del part[way[-1]]
    if way[0] == "devices" and len(way) == 2:
        gone = way[1]
        out["links"] = [l for l in out["links"] if gone not in (l["from"], l["to"])]
        for key in ("traffic", "events", "arbitration"):
            out[key] = [x for x in out.get(key, ()) if gone not in x.values()]
    return out if out["links"] and out["traffic"] else None


def shrink(scenario, still_broken, most, parts=parts, without=without):
    """The smallest scenario found in so many tries. `parts` yields what may be left out; `without` leaves it out, and gives None
    if nothing would remain."""
    again = True
    while again and most > 0:
        again = False
        for way in list(parts(scenario)):
            try:
                smaller = without(scenario, way)
            except (KeyError, IndexError):
                continue  # went with a part left out before
            most -= 1
            if most <= 0:
                break
            if smaller is not None and still_broken(smaller):
                scenario, again = smaller, True
    return scenario
