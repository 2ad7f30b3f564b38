"""What holds of every run, whatever the scenario. Each check yields sentences that say what is broken."""

import re

import balance

sizes_of = balance.sizes_of
ROUNDING = 0.51e-4  # percentages have four decimals


def traffic_names(run):
    return [t["name"] for t in run.document["traffic"]]


def ends_well(scenario, run):
    """Exit 0, or 1 for a deadlock alone: nothing is expected here."""
    if run.document["expectations"]:
        yield "there are expectations, and the scenario has none"
    stuck = run.document["deadlock"] is not None
    if run.status != (1 if stuck else 0):
        yield f"exit {run.status}, deadlock {stuck}: {run.said.strip()}"
    if not run.document["complete"]:
        yield "not complete, and nobody interrupted it"
    if not stuck and run.document["simulated_ns"] != run.document["wanted_ns"]:
        yield f"{run.document['simulated_ns']} ns of {run.document['wanted_ns']} simulated"
    if run.metrics["run.simulated_ns"] != run.document["simulated_ns"]:
        yield "run.simulated_ns is not simulated_ns"


def deadlocks_have_a_cause(scenario, run):
    """Rules of ordering and credits that return keep a tree free of deadlocks (PCIe Base Spec 2.4.1)."""
    causes = any(e["kind"] == "credit_leak" for e in scenario.get("events", ()))
    causes = causes or any("one_queue" in d.get("function", {}) for d in scenario["devices"].values())
    if run.document["deadlock"] is not None and not causes:
        yield f"a deadlock without lost credits and faulty receivers: {run.document['deadlock']['blocked'][:3]}"


def bytes_are_conserved(scenario, run):
    if not run.document["conservation"]["holds"]:
        yield str(run.document["conservation"]["violations"])


def numbers_have_a_range(scenario, run):
    for name, value in run.metrics.items():
        if value is None:
            if "latency" not in name:
                yield f"{name} is null"
        elif value < 0:
            yield f"{name} is {value}"
        elif name.endswith("_percent") and value > 100:
            yield f"{name} is {value}"
    for part in run.document["utilisation"]:
        if not 0 <= part["percent"] <= 100:
            yield f"{part['name']} is busy {part['percent']} % of the time"


def latencies_are_in_order(scenario, run):
    for traffic in run.document["traffic"]:
        name, m = traffic["name"], run.metrics
        values = [m[f"{name}.latency_{which}_ns"] for which in ("min", "p50", "p90", "p99", "p999", "max")]
        mean = m[f"{name}.latency_mean_ns"]
        count = sum(traffic["latency_fs"].values())
        if count == 0 or None in values:
            if count or set(values) != {None} or mean is not None:
                yield f"{name}: {count} samples and latencies {values}, mean {mean}"
        elif values != sorted(values) or not values[0] <= mean <= values[-1]:
            yield f"{name}: latencies {values}, mean {mean}"
        if count > m[f"{name}.delivered_packets"]:
            yield f"{name}: {count} latencies of {m[f'{name}.delivered_packets']} packets"


def rates_are_bytes_over_time(scenario, run):
    window = run.document["simulated_ns"]
    if window == 0:
        return
    for name, rate in run.metrics.items():
        of = name.removesuffix("_gbps") + "_bytes"
        if name.endswith("goodput_gbps"):
            of = name.replace("goodput_gbps", "payload_bytes")
        if name.endswith("_gbps") and of in run.metrics and abs(rate - run.metrics[of] * 8 / window) > 1e-6:
            yield f"{name} is {rate}, {of} is {run.metrics[of]} in {window} ns"


def offered(run, name):
    return run.metrics[f"{name}.offered_gbps"] * run.document["simulated_ns"] / 8


def nothing_comes_from_nothing(scenario, run):
    """What was delivered, dropped or lost has been offered before: in the window, or in the warm-up, whose frames and
    transfers may have stood in queues when the window began."""
    resolved = run.document["scenario"]
    warmup = run.document["warmup_ns"]
    for t in resolved["traffic"]:
        name = t["name"]
        device = resolved["devices"][t["from"]]
        if "sender" in t:
            continue  # its frames are those that the sender got out
        stood = gbps(t["rate"]) * warmup / 8
        if warmup:
            stood += scatter(t, device, stood / smallest(run, t)) * largest(run, t)
        m = {key: run.metrics[f"{name}.{key}"] for key in ("offered_packets", "delivered_packets", "dropped_packets",
                                                            "payload_bytes", "lost_bytes", "all_ones_bytes")}
        slack = 0  # what is offered is counted arrival by arrival
        if m["delivered_packets"] + m["dropped_packets"] > m["offered_packets"] + stood / smallest(run, t) + slack:
            yield f"{name}: more packets delivered and dropped than offered: {m}"
        most = offered(run, name) + 1 + stood + slack * largest(run, t)
        if m["payload_bytes"] + balance.failed_bytes(run, t) > most:
            yield f"{name}: more bytes delivered, lost and read in vain than the {offered(run, name):.0f} offered: {m}"


def what_arrives_was_offered_or_stood_in_queues(scenario, run):
    for name in traffic_names(run):
        before, after = run.metrics[f"{name}.queued_at_begin_bytes"], run.metrics[f"{name}.queued_at_end_bytes"]
        arrived = run.metrics[f"{name}.payload_bytes"]
        # A drop does not tell the size of its frame, and a rate is rounded.
        slack = 1 + max(sizes_of(run, next(t for t in run.document["scenario"]["traffic"] if t["name"] == name))) * (
            run.metrics[f"{name}.dropped_packets"] > 0)
        if arrived > offered(run, name) + before + slack:
            yield f"{name}: {arrived} B arrived, {offered(run, name):.0f} were offered and {before} stood in queues"
        if after > offered(run, name) + before + slack:
            yield f"{name}: {after} B stand in queues, {offered(run, name):.0f} were offered and {before} stood there"


def scatter(t, device, packets):
    """By how many packets more than rate times time, which is `packets`, can have come: the first comes at the start."""
    at_once = t["burst"] if t["arrival"] == "burst" else 1
    chance = 6 * (1 + packets**0.5) if t["arrival"] in ("poisson", "jittered") else 0
    sizes = len(t["sizes"]) if isinstance(t["sizes"], list) else 1  # offered as if all came to the mean
    return sizes - 1 + at_once * (device["queues"] if t["kind"] == "transmit" else 1) + chance


def largest(run, t):
    return max(sizes_of(run, t))


def smallest(run, t):
    return min(sizes_of(run, t))


def ledger_and_metrics_agree(scenario, run):
    for side in run.document["ledger"]:
        prefix, m = f"{side['link']}.{side['direction']}", run.metrics
        sums = {}
        for row in side["rows"]:
            sums[row["purpose"]] = sums.get(row["purpose"], 0) + row["data_bytes"]
        purposes = ("payload", "header", "descriptor", "completion_entry", "doorbell", "interrupt", "control",
                    "retransmission")
        for purpose in purposes:
            if m[f"{prefix}.{purpose}_bytes"] != sums.get(purpose, 0):
                yield f"{prefix}: {purpose} {m[f'{prefix}.{purpose}_bytes']} B, in the ledger {sums.get(purpose, 0)}"
        overhead = sum(row["overhead_bytes"] for row in side["rows"])
        wire = sum(sums.values()) + overhead + m[f"{prefix}.dllp_bytes"]
        if m[f"{prefix}.overhead_bytes"] != overhead or m[f"{prefix}.wire_bytes"] != wire:
            yield f"{prefix}: {m[f'{prefix}.wire_bytes']} B on the wire are not the sum of its parts, {wire}"
        if m[f"{prefix}.tlps"] != sum(row["tlps"] for row in side["rows"]):
            yield f"{prefix}: {m[f'{prefix}.tlps']} TLPs are not those of the ledger"
        if overhead < 12 * m[f"{prefix}.tlps"]:
            yield f"{prefix}: {overhead} B of overhead are less than the headers of {m[f'{prefix}.tlps']} TLPs"


def links_carry_what_they_can(scenario, run):
    """No more than the rate allows in the window, but for the last TLP or DLLP, which counts whole when it starts."""
    window = run.document["simulated_ns"]
    for side in run.document["ledger"]:
        wire = run.metrics[f"{side['link']}.{side['direction']}.wire_bytes"]
        if wire > side["rate_bps"] * window / 8e9 + 4096 + 64:
            yield f"{side['link']} {side['direction']}: {wire} B in {window} ns at {side['rate_bps']} b/s"


def busy_lines_are_what_they_carried(scenario, run):
    """Where nothing is sent twice and no rate changes: bytes over rate, but for what the ends of the window cut."""
    if any(e["kind"] in ("retrain", "bit_error") for e in scenario.get("events", ())):
        return
    window = run.document["simulated_ns"]
    gaps = {f"{l['to']}-{l['from']}" for l in scenario["links"] if "bit_error_rate" in l or "tlp_gap" in l}
    for side in run.document["ledger"]:
        if side["link"] in gaps or window == 0:
            continue
        prefix = f"{side['link']}.{side['direction']}"
        took = run.metrics[f"{prefix}.wire_bytes"] * 8e9 / side["rate_bps"]
        busy = run.metrics[f"{prefix}.utilisation_percent"] / 100 * window
        one = (4096 + 64) * 8e9 / side["rate_bps"] + ROUNDING / 100 * window + 1
        if abs(busy - took) > one:
            yield f"{prefix}: busy {busy:.1f} ns, and its bytes take {took:.1f} ns"


def payload_took_the_links(scenario, run):
    """What was delivered crossed the link of each device that sent or took it."""
    if run.document["scenario"]["run"]["warmup"] != "0ns":
        return
    carried = {}
    for side in run.document["ledger"]:
        for row in side["rows"]:
            if row["purpose"] == "payload":
                for end in (side["farther"], side["nearer"]):
                    carried[end, row["requester"]] = carried.get((end, row["requester"]), 0) + row["data_bytes"]
    wanted = {}
    for t in run.document["traffic"]:
        if t["kind"] not in ("receive", "transmit", "write", "read"):
            continue  # of copies and programs it is a GPU that moves the bytes, or a core
        if run.document["scenario"]["devices"][t["from"]]["kind"] == "odp_nic":
            continue  # pages may have migrated
        for end in {t["from"], t["to"]}:
            # By a bounce it is the GPU that fetches or brings its payload.
            requesters = (t["from"], t["to"]) if t["kind"] in ("receive", "transmit") else (t["from"],)
            sums = wanted.setdefault((end, requesters), [0, 0])
            sums[0] += run.metrics[f"{t['name']}.payload_bytes"]
            sums[1] += 1
    for (end, requesters), (delivered, _) in wanted.items():
        on_links = sum(carried.get((end, r), 0) for r in set(requesters))
        if delivered > on_links:
            yield f"{end}: {delivered} B of payload delivered, {on_links} B on its links for {', '.join(requesters)}"


def quiet_runs_lose_nothing(scenario, run):
    """Without events, bit errors, controls that block, refusals: no error, and nothing is lost."""
    devices = scenario["devices"].values()
    blocks = {"SV", "TB", "EC", "UF", "RR", "CR", "DT"}  # redirection to a root complex that refuses, too
    refuses = any(d.get("forwards_peers") is False for d in devices)
    if scenario.get("events") or any("bit_error_rate" in l for l in scenario["links"]) or refuses or any(
            blocks & set(d.get("acs", ())) or "bar1" in d or "one_queue" in d.get("function", {})
            or "completion_timeout" in d.get("function", {}) for d in devices) or any(
                "registered" in t for t in scenario["traffic"]):
        return
    for name in traffic_names(run):
        for key in ("failed_transfers", "all_ones_bytes", "lost_bytes"):
            if run.metrics[f"{name}.{key}"]:
                yield f"{name}.{key} is {run.metrics[f'{name}.{key}']} where nothing can go wrong"
    if run.document["aer"]:
        yield f"errors where nothing can go wrong: {run.document['aer']}"


def events_come_to_pass(scenario, run):
    records = run.document.get("events", [])
    if run.document["deadlock"] is None and len(records) != len(scenario.get("events", ())):
        yield f"{len(scenario['events'])} events, {len(records)} recorded: {[e['what'] for e in records]}"
    times = [e["at_ns"] for e in records]
    if times != sorted(times):
        yield f"events out of order: {times}"


def memory_takes_what_it_can(scenario, run):
    """Of what others read and write; what buffers on the way hold comes besides, and all twice with a second channel."""
    times = 2 if any("vc1" in l for l in scenario["links"]) else 1
    for side in run.document["ledger"]:
        name = side["farther"]
        device = run.document["scenario"]["devices"].get(name, {})
        if device.get("kind") != "gpu":
            continue  # the way to host memory has all the buffer that it takes
        moved = sum(row["data_bytes"] for row in side["rows"] if row["requester"] != name)
        rate = device["write_rate" if side["direction"] == "down" else "read_rate"]
        most = times * (gbps(rate) * run.document["simulated_ns"] / 8 + 16 * 4096)
        if moved > most:
            yield f"{name}: {moved} B moved {side['direction']}, at most {most:.0f} at {rate}"


def gbps(rate):
    return float(re.match(r"[0-9.]+", rate)[0]) * {"Gbps": 1, "Mbps": 1e-3}[re.sub(r"[0-9.]+", "", rate)]


def cores_add_up(scenario, run):
    for name, device in run.document["scenario"]["devices"].items():
        if device["kind"] != "host_cpu":
            continue
        cores, m = device["cores"], run.metrics
        mean, busiest = m[f"{name}.utilisation_percent"], m[f"{name}.busiest_core_percent"]
        if not mean - 1e-3 <= busiest <= mean * cores + 1e-3 * cores:
            yield f"{name}: busiest core {busiest} %, all {cores} cores {mean} %"
        if abs(m[f"{name}.cores_busy"] - mean / 100 * cores) > 1e-3:
            yield f"{name}: {m[f'{name}.cores_busy']} of {cores} cores at {mean} %"


def stages_sum_to_the_latency(scenario, run):
    """Of every packet: its stages are recorded, none is negative, and together they take what its latency was."""
    for traffic in run.document["traffic"]:
        stages, name = traffic.get("stages"), traffic["name"]
        if (stages is None) != (traffic["kind"] not in ("receive", "transmit", "gpunet")):
            yield f"{name}: a {traffic['kind']} with stages {stages}"
        if not stages or traffic["kind"] == "gpunet":
            continue
        packets = sum(traffic["latency_fs"].values())
        if {stage["count"] for stage in stages} != {packets}:
            yield f"{name}: stages of {[stage['count'] for stage in stages]} packets of {packets}"
        elif packets:
            mean = round(run.metrics[f"{name}.latency_mean_ns"] * 1e6)  # rounded down to whole femtoseconds
            if sum(stage["sum_fs"] for stage in stages) // packets != mean:
                yield f"{name}: stages take {sum(stage['sum_fs'] for stage in stages) / packets} fs a packet, of {mean}"
        if any(stage["sum_fs"] < 0 or stage["p50_ns"] < 0 for stage in stages):
            yield f"{name}: a stage is negative: {stages}"


def the_sentence_agrees_with_the_tables(scenario, run):
    """It begins with what it names, and calls nothing idle that is shown as busy."""
    sentence, limit = run.document["bottleneck"], run.document["limit"]
    if not sentence.startswith(limit):
        yield f"\"{sentence}\" does not begin with {limit}"
    short = any(run.metrics[f"{t['name']}.goodput_gbps"] < 0.9 * run.metrics[f"{t['name']}.offered_gbps"]
                and not run.metrics[f"{t['name']}.lost_bytes"] + run.metrics[f"{t['name']}.all_ones_bytes"]
                for t in run.document["traffic"])
    if short and "all that was offered arrived;" in sentence:
        yield f"\"{sentence}\" although something fell short"
    if "nothing was busy" in sentence and any(part["percent"] >= 50 for part in run.document["utilisation"]
                                              if not part["name"].endswith((" tags", "queue depth")) and " transfers in flight" not in part["name"]):
        yield f"\"{sentence}\" beside {run.document['utilisation'][0]}"


ALL = (ends_well, deadlocks_have_a_cause, bytes_are_conserved, numbers_have_a_range, latencies_are_in_order,
       rates_are_bytes_over_time, nothing_comes_from_nothing,
       what_arrives_was_offered_or_stood_in_queues, ledger_and_metrics_agree, links_carry_what_they_can, busy_lines_are_what_they_carried, payload_took_the_links, quiet_runs_lose_nothing, events_come_to_pass,
       memory_takes_what_it_can, cores_add_up, stages_sum_to_the_latency, the_sentence_agrees_with_the_tables, *balance.ALL)
