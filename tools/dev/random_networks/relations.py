"""What holds between runs of networks that differ in what must not matter, or must in a known way."""

import copy
import json


def differences(one, other, most=4):
    """Figures of two documents that differ."""
    if one.status != other.status or one.document is None or other.document is None:
        return [f"exit {one.status} and {other.status} ({other.said.strip()})"] if one.status != other.status else []
    names = list(dict.fromkeys([*one.metrics, *other.metrics]))
    found = [f"{n}: {one.metrics.get(n)} and {other.metrics.get(n)}" for n in names if one.metrics.get(n) != other.metrics.get(n)]
    for key in ("network", "bottleneck", "deadlock", "conservation", "simulated_ns"):
        if one.document[key] != other.document[key]:
            found.append(f"{key}: {json.dumps(one.document[key])[:300]} and {json.dumps(other.document[key])[:300]}")
    return found[:most]


def same_again(program, scenario, draw):
    """One seed gives one file of results, byte for byte."""
    first = program.run(scenario)
    program.forget()
    if program.run(scenario).text != first.text:
        yield "two runs of one scenario differ"


def check_and_run_agree(program, scenario, draw):
    """`check` accepts what runs, and both say the same of what does not."""
    status, text, said = program.check(scenario)
    run = program.run(scenario)
    if status not in (0, 2):
        yield f"check: exit {status}: {said}"
    elif (status == 2) != (run.status == 2):
        yield f"check: exit {status}, run: exit {run.status}: {said or run.said}"
    elif status == 2 and said != run.said:
        yield f"check says\n{said}\nrun says\n{run.said}"


def resolved(program, scenario, draw):
    """The resolved scenario in the results is the scenario."""
    run = program.run(scenario)
    if run.document:
        again = dict(run.document["scenario"], files=scenario.get("files", {}))
        yield from differences(run, program.run(again))


def more_rate(program, scenario, draw):
    """Cables with twice the rate of each are no longer busy for longer; what is offered stays the same."""
    run = program.run(scenario)
    if run.document is None or "tcp" in scenario or not all(e.get("interval") or e.get("load") for e in scenario.get("rdma", ())) or \
            scenario.keys() & {"collectives", "traces"} or run.document["steady"]["found"]:
        return
    if any(e.get("load") for e in scenario["rdma"]):
        return  # a load is a share of the rate
    other = copy.deepcopy(scenario)
    for name in ("clos", "fat_tree", "rail_optimised", "dragonfly"):
        for key in ("host_rate", "fabric_rate"):
            if name in other["network"]:
                other["network"][name]["cables"][key] = twice(other["network"][name]["cables"][key])
    for cable in other["network"].get("cables", ()):
        cable["rate"] = twice(cable["rate"])
    faster = program.run(other)
    if faster.document is None:
        return
    for one, two in zip(run.document["network"]["entries"], faster.document["network"]["entries"]):
        if one["offered_bytes"] != two["offered_bytes"]:
            yield f"{one['name']}: {one['offered_bytes']} B offered, with faster cables {two['offered_bytes']}"


def twice(rate):
    return f"{2 * int(rate.removesuffix('Gbps'))}Gbps"


def no_capture_matters(program, scenario, draw):
    """A capture of the frames changes no result."""
    if scenario["run"].get("level") != "flows":
        yield from differences(program.run(scenario), program.run(scenario, "--trace", "pcapng"))


ALL = (same_again, check_and_run_agree, resolved, more_rate, no_capture_matters)
