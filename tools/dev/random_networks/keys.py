"""Lists keys of networks that are accepted and change nothing: each option of the schema, set to other values in scenarios of its kind.

usage: keys.py PEERPATH [CASE ...]

Exit status 1 if a key is neither refused nor changes a figure, and is not explained below. About 1,300 short runs.
"""

import copy
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "random_scenarios"))
from program import Peerpath  # noqa: E402

STAR = {"hosts": ["h0..h3"], "switches": ["leaf"],
        "cables": [{"from": "h0", "to": "leaf", "rate": "10Gbps"}, {"from": "h1..h3", "to": "leaf", "rate": "25Gbps"}]}
RUN = {"warmup": "0us", "measure": "150us"}
INCAST = {"name": "e", "from": ["h1..h3"], "to": ["h0"], "size": "16KiB"}
OTHERS = {"string": {"B": ("2KiB", "48KiB", "100kB"), "s": ("700ns", "5us", "40us"), "bps": ("3Gbps", "200Gbps")},
          "integer": (1, 2, 3, 5, 40, 500), "number": (5.0, 60.0)}
LARGE = ("20MB", "1GB")


def rdma(**keys):
    return {"network": STAR, "rdma": [{**INCAST, **keys}], "run": RUN}


def collective(kind, **keys):
    return {"network": STAR, "collectives": [{"name": "e", "kind": kind, "hosts": ["h0..h3"], "bytes": "200kB", **keys}]}


CASES = {
    "rdma": rdma(), "rdma.messages": rdma(messages=3), "rdma.interval": rdma(interval="20us"), "rdma.load": rdma(load=30),
    "rdma.UD": rdma(transport="UD", operation="send", size="1KiB"), "rdma.read": rdma(operation="read"),
    "rdma.atomic": rdma(operation="fetch_add", size="8B"), "tcp": {"network": STAR, "run": {"measure": "400us"}, "tcp": [
        {"name": "e", "from": ["h1..h3"], "to": ["h0"]}]},
    **{f"collectives.{kind}": collective(kind) for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
                                                            "reduce", "gather", "scatter")},
    "collectives.tree": collective("all_reduce", algorithm="tree"), "collectives.buffers": collective("all_reduce", buffers={"size": "32KiB"}),
    "collectives.sizes": {"network": STAR, "collectives": [
        {"name": "e", "kind": "all_to_all", "hosts": ["h0..h3"], "sizes": ["20kB"] * 16}]},
    "collectives.token": collective("all_to_all", token="1KiB"),
}
SECTIONS = {"rdma": ("servers", "tcp_stack", "tcp_hosts"), "collectives.all_reduce": ("tcp_stack", "tcp_hosts"), "tcp": ("nics", "servers")}
EXPLAINED = {  # key, and the cases where it changes nothing (empty: all)
    "qp_use": (),  # these have one queue pair
    "nvlink": (), "nvlink_latency": (),  # these have servers of one GPU, so that a sweep of `gpus` may have 1
    "fresh": ("rdma.interval",),  # DCQCN is off: there is no earlier reduction
    "receives": ("rdma.UD",),  # `receive_time` is 0: each request is posted again at once
    "registered": (),  # `nics.translations` is 0: all of them are cached
}
APART = ("name", "from", "to", "hosts", "extends", "source", "file")


def options(schema, section):
    """Keys of an entry or a section with their schemas; those of objects inside by way."""
    part = schema["then"]["properties"][section]
    for alternative in part.get("anyOf", part.get("oneOf", ())):
        if "properties" in alternative or "items" in alternative:
            part = alternative
    yield from inside(part.get("items", part), ())


def inside(part, way):
    for key, value in part.get("properties", {}).items():
        if key in APART:
            continue
        if "properties" in value:
            yield from inside(value, (*way, key))
        else:
            yield (*way, key), value


def values(option):
    """Some that are not the default."""
    if "enum" in option:
        found = option["enum"]
    elif option.get("type") == "boolean":
        found = (True, False)
    elif option.get("type") == "string":
        pattern = option.get("pattern", "")
        unit = "bps" if "bps" in pattern else "B" if "KiB" in pattern else "s"
        found = (*OTHERS["string"][unit], *(LARGE if unit == "B" else ()))
    else:
        found = OTHERS.get(option.get("type"), ())
    return [value for value in found if value != option.get("default")]


def with_value(scenario, way, value):
    out = copy.deepcopy(scenario)
    part = out
    for key, after in zip(way, way[1:]):
        if isinstance(part, dict):
            part = part.setdefault(key, [] if isinstance(after, int) else {})
        else:
            part = part[key]
    part[way[-1]] = value
    return out


def figures(run):
    return json.dumps({key: run.document[key] for key in ("metrics", "network", "simulated_ns")})


def without_effect(program, case, scenario, section, schema):
    """Ways to keys that no tried value of which is refused or changes a figure."""
    usual = figures(program.run(scenario))
    listed = section in scenario
    for way, option in options(schema, section):
        full = (section, 0, *way) if listed else (section, *way)
        others = [with_value(scenario, full, value) for value in values(option)]
        tried = [program.run(other) for other in others if other != scenario]
        if tried and all(run.document is not None and figures(run) == usual for run in tried):
            yield case, ".".join(map(str, full))


def is_explained(case, key):
    name = key.rpartition(".")[2]
    return name in EXPLAINED and (not EXPLAINED[name] or case in EXPLAINED[name])


def main(peerpath, *cases):
    schema = json.loads(subprocess.run([peerpath, "schema"], capture_output=True, text=True, check=True).stdout)
    silent = 0
    with Peerpath(peerpath) as program:
        for case in cases or CASES:
            section = case.split(".")[0]
            program.forget()
            for of in (section, *SECTIONS.get(case, ())):
                for _, key in without_effect(program, case, CASES[case], of, schema):
                    explained = is_explained(case, key)
                    silent += not explained
                    print(f"{case}: {key} changes nothing{', as explained' if explained else ''}", flush=True)
    print(f"{silent} keys are accepted and change nothing")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
