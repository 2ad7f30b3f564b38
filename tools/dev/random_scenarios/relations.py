"""What holds between runs of scenarios that differ in what must not matter, or must in a known way."""

import copy
import json
import re

ADDITIVE = re.compile(r"(_bytes|_packets|\.tlps|\.dllps|\.replays|\.failed_transfers|\.bar1_remaps)$")
NOT_ADDITIVE = re.compile(r"peak|bar1_size|bar1_used|queued_at")


def differences(one, other, most=4):
    """Metrics and the rest of two documents, without what they say of the scenario."""
    found = []
    if one.status != other.status:
        found.append(f"exit {one.status} and {other.status} ({other.said.strip()})")
    if not one.document or not other.document:
        return found
    names = list(dict.fromkeys([*one.metrics, *other.metrics]))
    found += [f"{n}: {one.metrics.get(n)} and {other.metrics.get(n)}" for n in names
              if one.metrics.get(n) != other.metrics.get(n)]
    for key in one.document:
        if key not in ("metrics", "scenario", "origins", "name") and one.document[key] != other.document.get(key):
            found.append(f"{key}: {json.dumps(one.document[key])[:300]} and {json.dumps(other.document.get(key))[:300]}")
    return found[:most]


def same(program, scenario, other, what, *options):
    for line in differences(program.run(scenario), program.run(other, *options)):
        yield f"{what}: {line}"


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


def same_again(program, scenario, draw):
    first = program.run(scenario)
    program.forget()
    if program.run(scenario).text != first.text:
        yield "two runs of one scenario differ"


def quantum(program, scenario, draw):
    other = copy.deepcopy(scenario)
    other["run"]["quantum"] = draw.choice(("100ns", "1us", "3333ns", "1ms"))
    yield from same(program, scenario, other, f"quantum {other['run']['quantum']}")


def reference(program, scenario, draw):
    for mode in ("event",):
        yield from same(program, scenario, scenario, f"--fabric {mode}", "--fabric", mode)


def resolved(program, scenario, draw):
    """The resolved scenario in the results is the scenario."""
    run = program.run(scenario)
    if run.document:
        yield from same(program, scenario, run.document["scenario"], "run of its own resolved scenario")


def order_of_devices(program, scenario, draw):
    if {"cache", "channels"} & set(scenario["devices"].get("dram", ())):
        return  # addresses in memory are given in the order of the devices
    other = copy.deepcopy(scenario)
    names = list(other["devices"])
    draw.shuffle(names)
    other["devices"] = {name: other["devices"][name] for name in names}
    one, two = program.run(scenario), program.run(other)
    for line in differences(sorted_run(one), sorted_run(two)):
        yield f"devices in the order {names}: {line}"


class sorted_run:
    """A run whose lists of devices and links stand in the order of their names."""

    def __init__(self, run):
        self.status, self.said, self.metrics = run.status, run.said, run.metrics
        self.document = copy.deepcopy(run.document)
        for record in (self.document or {}).get("aer", ()):
            del record["header_log"]  # its addresses and IDs are given in the order of the devices
        for key in ("utilisation", "ledger", "bar1", "faults", "aer"):
            if self.document:
                self.document[key].sort(key=json.dumps)
        for side in (self.document or {}).get("ledger", ()):
            side["rows"].sort(key=json.dumps)
        if self.document:
            for key in ("bottleneck", "limit", "flattered"):
                del self.document[key]  # of equal ones the first


def renamed(program, scenario, draw):
    """Names say nothing."""
    new = {name: f"{draw.choice('abcxyz')}{n}_" for n, name in enumerate(scenario["devices"])}
    other = copy.deepcopy(scenario)
    other["devices"] = {new[name]: device for name, device in other["devices"].items()}
    for part, keys in (("links", ("from", "to")), ("traffic", ("from", "to", "through", "headers_to")), ("events", ("device",)),
                       ("arbitration", ("at", "from", "to")), ("cables", ("from", "to")), ("inter_socket", ("from", "to")),
                       ("devices", ("at", "gpu", "queues_in", "pages_in"))):
        items = other.get(part, ())
        for item in items.values() if part == "devices" else items:
            item.update({key: new[item[key]] for key in keys if key in item})
    back = {value: key for key, value in new.items()}
    pattern = re.compile("|".join(re.escape(name) for name in back))
    two = program.run(other)
    if two.document:
        two = copy.copy(two)
        two.document = json.loads(pattern.sub(lambda found: back[found[0]], json.dumps(two.document)))
        two.metrics = {m["name"]: m["value"] for m in two.document["metrics"]}
    for line in differences(sorted_run(program.run(scenario)), sorted_run(two)):
        yield f"renamed to {new}: {line}"


def windows_add_up(program, scenario, draw):
    """What is counted in two windows, one after the other, is what is counted in both together."""
    other, first = copy.deepcopy(scenario), copy.deepcopy(scenario)
    warmup, measure = (int(scenario["run"][key][:-2]) for key in ("warmup", "measure"))
    cut = draw.randint(1000, measure - 1000)
    first["run"]["measure"] = f"{cut}ns"
    # Before the end of the first window, or never in it: `check` refuses what would not happen.
    first["events"] = [e for e in first.get("events", ()) if int(e["at"][:-2]) < warmup + cut]
    other["run"].update(warmup=f"{warmup + cut}ns", measure=f"{measure - cut}ns")
    whole, one, two = (program.run(s) for s in (scenario, first, other))
    if None in (whole.document, one.document, two.document) or any(r.document["deadlock"] for r in (whole, one, two)):
        return
    for name, value in whole.metrics.items():
        if ADDITIVE.search(name) and not NOT_ADDITIVE.search(name):
            if one.metrics.get(name, 0) + two.metrics[name] != value:
                yield f"{name}: {one.metrics.get(name, 0)} until {cut} ns, {two.metrics[name]} after that, {value} in all"
    lengths = (measure, cut, measure - cut)
    for name in whole.metrics:
        if name.endswith(("utilisation_percent", "busiest_core_percent", "credit_stall_percent", "queued_tlps")):
            whole_is = 1 if name.endswith("queued_tlps") else 100
            busy = [r.metrics.get(name, 0) / whole_is * length for r, length in zip((whole, one, two), lengths)]
            if is_memory(scenario, name.split(".")[0]):
                continue  # the busier of reads and writes, and never above 100 with what stands in its buffer
            # The core that is busiest need not be the same.
            if name.endswith("busiest_core_percent"):
                wrong = busy[0] > busy[1] + busy[2] + 0.5
            else:
                wrong = abs(busy[0] - busy[1] - busy[2]) > 0.5
            if wrong:
                yield f"{name}: {busy[1]:.2f} ns until {cut} ns, {busy[2]:.2f} ns after that, {busy[0]:.2f} ns in all"
    for part in whole.document["utilisation"]:
        of = [next((u["percent"] for u in r.document["utilisation"] if u["name"] == part["name"]), 0) / 100 * length
              for r, length in zip((whole, one, two), lengths)]
        if part["name"].endswith(" tags") or " transfers in flight" in part["name"]:
            continue  # counted as they end, and no more than there are in each window
        if of[0] > of[1] + of[2] + 0.5 and not is_memory(scenario, part["name"]):
            yield f"{part['name']}: busy {of[1]:.2f} ns until {cut} ns, {of[2]:.2f} ns after that, {of[0]:.2f} ns in all"


def is_memory(scenario, name):
    return scenario["devices"].get(name, {}).get("kind") in ("gpu", "host_memory")


def idle_device(program, scenario, draw):
    """A device without traffic changes nothing (that has the MPS of the others: a hierarchy has one)."""
    scenario = copy.deepcopy(scenario)
    for device in scenario["devices"].values():
        if "function" in device:
            device["function"]["max_payload"] = "256B"
    other = copy.deepcopy(scenario)
    other["devices"]["idle"] = draw.choice(({"kind": "gpu"}, {"kind": "dma_card"}))
    at = draw.choice([n for n, d in other["devices"].items() if d.get("kind") in ("root_complex", "pcie_switch")])
    other["links"].append({"from": at, "to": "idle"})
    yield from same_metrics(program.run(scenario), program.run(other), f"idle device at {at}")


def same_metrics(one, two, what):
    """All that is not about what the second has besides; a port without use has no link."""
    if one.status != two.status:
        yield f"{what}: exit {one.status} and {two.status}: {two.said}"
        return
    for name, value in one.metrics.items():
        if two.metrics.get(name, 0 if " " in name else None) != value:
            yield f"{what}: {name}: {value} and {two.metrics.get(name)}"


def controls_as_they_are(program, scenario, draw):
    """Writing to ACS registers what they hold changes nothing."""
    routers = [n for n, d in scenario["devices"].items() if d.get("kind") in ("root_complex", "pcie_switch")]
    at = draw.choice(routers)
    if any(e["kind"] == "acs" for e in scenario.get("events", ())):
        return
    other = copy.deepcopy(scenario)
    other.setdefault("events", []).append({"at": "7777ns", "kind": "acs", "device": at,
                                           "acs": scenario["devices"][at].get("acs", ["none"])})
    yield from same_metrics(program.run(scenario), program.run(other), f"controls of {at} as they are")


ALL = (check_and_run_agree, same_again, quantum, reference, resolved, order_of_devices, renamed, windows_add_up,
       idle_device, controls_as_they_are)
