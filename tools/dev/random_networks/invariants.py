"""What holds of every run of a network, read from its results alone. Each check yields sentences that say what is broken."""

import math
import re

GAP = 24  # B of preamble, FCS and gap around each frame
FRAME = 9100  # B of the largest frame, with those
UNITS = {"bps": 1, "Mbps": 1e6, "Gbps": 1e9, "B": 1, "KiB": 1024, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1000, "MB": 10**6, "GB": 10**9,
         "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def quantity(text):
    """Bits per second, bytes or nanoseconds."""
    number, unit = re.fullmatch(r"([0-9.]+)([A-Za-z]+)", str(text)).groups()
    return float(number) * UNITS[unit]


def scenario_of(run):
    return run.document["scenario"]


def entries(run, *kinds):
    for kind in kinds:
        for entry in scenario_of(run).get(kind, ()):
            yield entry


def is_flows(run):
    return scenario_of(run)["run"]["level"] == "flows"


def gpus_of(run):
    return scenario_of(run).get("servers", {}).get("gpus", 1)


def window(run):
    return run.document["simulated_ns"]


def spelt(names):
    """Names of hosts, with h0..h3 as four."""
    out = []
    for name in [names] if isinstance(names, str) else names:
        found = re.fullmatch(r"(.*?)(\d+)\.\.(.*?)(\d+)", name)
        out += [f"{found[1]}{n}" for n in range(int(found[2]), int(found[4]) + 1)] if found else [name]
    return out


def host_rates(run):
    """Bits per second of the cable of each host."""
    network = scenario_of(run)["network"]
    rates = {}
    for cable in network.get("cables", ()):
        for name in spelt(cable["from"]) + spelt(cable["to"]):
            rates[name] = quantity(cable["rate"])
    for made in ("clos", "fat_tree", "rail_optimised", "dragonfly"):
        if made in network:
            names = {re.split(r" -> ", c["name"])[0] for c in run.document["network"]["cables"]}
            rates = dict.fromkeys(names, quantity(network[made]["cables"]["host_rate"]))
    return rates


def limits_of_hosts(run):
    """Likewise, and no more than a slow host takes in, headers included."""
    rates = dict(host_rates(run))
    for slow in scenario_of(run)["slow_hosts"]:
        for host in spelt(slow["hosts"]):
            rates[host] = min(rates[host], quantity(slow["rate"]))
    return rates


def ends_well(scenario, run):
    """Exit 0, or 1 for a deadlock alone: nothing is expected here."""
    document = run.document
    if document["expectations"]:
        yield "there are expectations, and the scenario has none"
    stuck = document["deadlock"] is not None
    if run.status != (1 if stuck else 0):
        yield f"exit {run.status}, deadlock {stuck}: {run.said.strip()}"
    if not document["complete"]:
        yield "not complete, and nobody interrupted it"
    if stuck != (run.metrics["network.deadlock"] == 1):
        yield f"network.deadlock is {run.metrics['network.deadlock']}, and the deadlock {stuck}"


def deadlocks_have_a_cycle(scenario, run):
    """Shortest ways in a tree or Clos have no cycle of buffers (Dally and Seitz 1987); a dragonfly has."""
    made = scenario_of(run)["network"]
    if run.document["deadlock"] is not None and "dragonfly" not in made and not scenario_of(run)["events"]:
        yield f"a deadlock: {run.document['deadlock']}"


def bytes_are_conserved(scenario, run):
    if not run.document["conservation"]["holds"] or run.document["conservation"]["violations"]:
        yield str(run.document["conservation"]["violations"])


def ports_conserve_bytes(scenario, run):
    """Of each direction of a cable: what came for it and waited is what arrived, was dropped or still waits."""
    for c in run.document["network"]["cables"]:
        if is_flows(run):
            continue
        before, after = c["offered_bytes"] + c["backlog_at_begin_bytes"], c["backlog_at_end_bytes"]
        if before != c["arrived_bytes"] + c["dropped_bytes"] + after:
            yield f"{c['name']}: {c}"


def switches_conserve_bytes(scenario, run):
    """What comes into a switch is what is there for the ports that it leaves by; the network gives out what it took in."""
    if is_flows(run):
        return
    came, left = {}, {}
    for c in run.document["network"]["cables"]:
        source, to = c["name"].split(" -> ")
        left[source] = left.get(source, 0) + c["offered_bytes"]
        came[to] = came.get(to, 0) + c["arrived_bytes"]
    hosts = set(host_rates(run))
    for switch in came.keys() - hosts_of(run, hosts):
        if came[switch] != left[switch]:
            yield f"{switch}: {came[switch]} B came in, and {left[switch]} B are there to leave"


def hosts_of(run, names):
    made = scenario_of(run)["network"]
    if "hosts" in made and made["hosts"]:
        return set(spelt(made["hosts"]))
    return {n for n in names if re.fullmatch(r"h\d+", n)}


def entries_conserve_bytes(scenario, run):
    """Of each entry with data of its own: goodput and growth of what is missing are what was offered."""
    by_name = {e["name"]: e for e in run.document["network"].get("entries", ())}
    names = [e["name"] for e in entries(run, "rdma", "tcp")]
    if list(by_name) != names:
        yield f"accounts of {sorted(by_name)}, entries {sorted(names)}"
    for name, e in by_name.items() if list(by_name) == names else ():
        if e["offered_bytes"] + e["missing_at_begin_bytes"] != e["arrived_bytes"] + e["missing_at_end_bytes"]:
            yield f"{name}: {e}"
        if window(run) and abs(run.metrics[f"{name}.goodput_gbps"] - e["arrived_bytes"] * 8 / window(run)) > 6e-4:
            yield f"{name}: goodput {run.metrics[f'{name}.goodput_gbps']} Gb/s, {e['arrived_bytes']} B in {window(run)} ns"


def negative(path, value):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from negative(f"{path}/{key}", part)
    elif isinstance(value, list):
        for n, part in enumerate(value):
            yield from negative(f"{path}/{n}", part)
    elif isinstance(value, (int, float)) and value < 0:
        yield f"{path} is {value}"


def numbers_have_a_range(scenario, run):
    """Nothing is negative, and percentages of one thing are at most 100."""
    for key in ("metrics", "network", "simulated_ns", "warmup_ns", "wanted_ns", "steady"):
        yield from negative(key, run.document[key])
    for name, value in run.metrics.items():
        if name.endswith("_percent") and value is not None and value > 100:
            yield f"{name} is {value}"
    for c in run.document["network"]["cables"]:
        for key in ("busy_percent", "paused_percent"):
            if c[key] > 100:
                yield f"{c['name']}: {key} is {c[key]}"


def times_are_in_order(scenario, run):
    for of in ("latency", "time", "slowdown"):
        for name in {m.rsplit("." + of, 1)[0] for m in run.metrics if f".{of}_p50" in m}:
            values = [run.metrics[m] for which in ("p50", "p99", "max") for m in (f"{name}.{of}_{which}_us", f"{name}.{of}_{which}")
                      if m in run.metrics]
            if None in values and set(values) != {None}:
                yield f"{name}: {of} {values}"
            elif None not in values and values != sorted(values):
                yield f"{name}: {of} {values}"
            count = run.metrics.get(f"{name}.messages", run.metrics.get(f"{name}.flows"))
            if of != "slowdown" and (count > 0) == (None in values):
                yield f"{name}: {count} are over, with {of} {values}"
    for name, value in run.metrics.items():
        if "slowdown" in name and value is not None and value < 0.999:
            yield f"{name} is {value}: faster than alone"
    for job in run.document["network"].get("jobs", ()):
        for rank in job["ranks"]:
            if rank["time_us"] is not None and rank["exposed_us"] + rank["computing_us"] > rank["time_us"] * 3 + 1e-3:
                yield f"{job['name']}: {rank}"
            if not 0 <= rank["hidden_us"] <= rank["communicating_us"] + 1e-6:
                yield f"{job['name']}: {rank}"


def cables_carry_what_they_can(scenario, run):
    """A cable is busy for the bytes that left, and carries no more than its rate allows, but for the frame that has begun."""
    if is_flows(run):
        return
    for c in run.document["network"]["cables"]:
        rate = c["rate_bps"]
        took = (c["sent_bytes"] + GAP * c["sent_packets"]) * 8e9 / rate  # ns
        one = FRAME * 8e9 / rate
        if took > window(run) + one:
            yield f"{c['name']}: {c['sent_bytes']} B take {took:.0f} ns of {window(run)}"
        busy = c["busy_percent"] / 100 * window(run)
        pauses = 88 * 8e9 / rate * (run.metrics["network.pauses"] + run.metrics["network.nic_pauses"]) * 2  # and resumes
        padding = 46 * 8e9 / rate * c["sent_packets"]  # at most, of frames below 60 B
        if not took - one - 0.0006 * window(run) <= busy <= took + one + pauses + padding + 0.0006 * window(run):
            yield f"{c['name']}: busy {busy:.0f} ns, and its bytes take {took:.0f} ns"


HEADERS = 58  # B of RoCE's in a frame without FCS: Ethernet, IPv4, UDP, BTH, ICRC


def has_fresh_queue_pairs(entry):
    """One for each message, so messages may be under way in any number."""
    return entry.get("load", 0) > 0 or entry.get("fresh", False)


def partly_there(entry):
    """Messages of an entry that may be at one time, otherwise: a queue pair sends one after the other."""
    if "operation" not in entry or has_fresh_queue_pairs(entry):
        return 0
    return entry["qps"] * max(len(spelt(entry["from"])), len(spelt(entry["to"])))


def wire_of(run, entry, whole=True):
    """Bytes of frames without FCS per byte of payload, at the least; of an entry of rdma or tcp. `whole`: of whole messages."""
    stack = scenario_of(run)
    if "operation" not in entry:
        mss = stack["tcp_stack"]["mtu"] - 40 - (12 if stack["tcp_stack"]["timestamps"] else 0)
        return (stack["tcp_stack"]["mtu"] + 14) / mss
    if entry["operation"] in ("fetch_add", "compare_swap"):
        return 60 / 8
    size, mtu = quantity(entry["size"]), stack["nics"]["mtu"]
    if entry["load"] > 0 and entry["sizes"] != "fixed" or not whole and size > mtu:
        return (mtu + HEADERS) / mtu
    return (size + HEADERS * math.ceil(size / mtu)) / size


def share_of(run, entry):
    """Largest payload per byte of the wire's time, at the most; of whole messages where few are under way."""
    stack = scenario_of(run)
    if "operation" not in entry:
        mss = stack["tcp_stack"]["mtu"] - 40 - (12 if stack["tcp_stack"]["timestamps"] else 0)
        return mss / (stack["tcp_stack"]["mtu"] + 14 + GAP)
    if entry["operation"] in ("fetch_add", "compare_swap"):
        return 8 / (60 + GAP)
    size, mtu = quantity(entry["size"]), stack["nics"]["mtu"]
    if has_fresh_queue_pairs(entry) and (size > mtu or entry["sizes"] != "fixed"):
        size = mtu
    packets = math.ceil(size / mtu)
    return min(size / (size + (HEADERS + GAP) * packets), size / ((60 + GAP) * packets))


def waited_in_the_network(run, entries):
    """Bytes of the wire's time of all packets that had left their hosts, and were not yet there, as the window began."""
    if is_flows(run):  # any cable may have carried all of a message before its slowest has
        return sum(quantity(e["size"]) / share_of(run, e) * partly_there(e) for e in entries)
    gaps = max(1 / (share_of(run, e) * wire_of(run, e)) for e in entries)
    return sum(c["backlog_at_begin_bytes"] for c in run.document["network"]["cables"]) * gaps


def data_ways(run):
    """Name, senders and receivers of the payload, and bytes of the wire's time, of each entry in the window."""
    for e in entries(run, "rdma", "tcp"):
        back = e.get("operation") in ("read", "fetch_add", "compare_swap")
        senders, receivers = (e["to"], e["from"]) if back else (e["from"], e["to"])
        yield e["name"], set(spelt(senders)), set(spelt(receivers)), e


def goodput_fits_the_cables(scenario, run):
    """Of all entries into, or out of, a set of hosts: payload with its headers is at most what their cables carry. What waited
    in NICs, or had left its host, as the window began comes besides; of messages that are partly in the window so do headers."""
    if not window(run):
        return  # all was over within the warm-up
    ways = list(data_ways(run))
    cables, limits = host_rates(run), limits_of_hosts(run)
    held, missing = 0, {e["name"]: e["missing_at_begin_bytes"] for e in run.document["network"]["entries"]}
    if scenario_of(run)["slow_hosts"] or scenario_of(run).get("nodes"):
        held = quantity(scenario_of(run)["nics"]["buffer"]) if "nics" in scenario_of(run) else 2e6
    for side, what in ((1, "out of"), (2, "into")):
        for way in ways:
            hosts, inside = way[side], [w for w in ways if w[side] <= way[side]]
            held_here = held * len(hosts)
            if "operation" not in way[3]:  # NICs and sockets hold what applications have not read yet
                held_here = sum(missing[name] / share_of(run, e) for name, _, _, e in inside)
            need = sum(run.metrics[f"{name}.goodput_gbps"] / share_of(run, e) for name, _, _, e in inside)
            most = sum(cables[h] for h in hosts) / 1e9
            inside_entries = [e for _, _, _, e in inside]
            parts = 2 * (HEADERS + GAP) * sum(map(partly_there, inside_entries))
            before = waited_in_the_network(run, inside_entries) if what == "out of" or is_flows(run) else 0
            slack = (held_here + before + parts + 2 * FRAME * len(hosts)) * 8 / window(run)
            if need > most * 1.0005 + 6e-4 * len(inside) * 12 + slack:
                yield f"{what} {sorted(hosts)}: {need:.3f} Gb/s with headers, {most} Gb/s of cables: {[w[0] for w in inside]}"
            if what == "into" and "operation" in way[3] and not is_flows(run):
                need = sum(run.metrics[f"{name}.goodput_gbps"] * wire_of(run, e, whole=not has_fresh_queue_pairs(e))
                           for name, _, _, e in inside if e["operation"] not in ("fetch_add", "compare_swap"))
                most = sum(limits[h] for h in hosts) / 1e9
                if need > most * 1.0005 + 6e-4 * len(inside) + (parts + 2 * FRAME * len(hosts)) * 8 / window(run):
                    yield f"into {sorted(hosts)}: {need:.3f} Gb/s with headers, {most} Gb/s of memory"


def payload_came_over_the_cables(scenario, run):
    """Payload of entries has come in over cables to hosts, each packet with its headers, or waited in NICs and sockets before.
    Beyond messages that are over there are parts of others, the fewest headers of which are those of full packets."""
    if is_flows(run):
        return

    def frames(name, entry):
        arrived = accounts[name]["arrived_bytes"]
        over = min(arrived, run.metrics.get(f"{name}.messages", 0) * quantity(entry.get("size", "0B")))
        return over * wire_of(run, entry) + (arrived - over) * wire_of(run, entry, whole=False) - 100

    accounts = {e["name"]: e for e in run.document["network"]["entries"]}
    for _, _, hosts, _ in data_ways(run):
        inside = [(name, e) for name, _, receivers, e in data_ways(run) if receivers <= hosts]
        came = sum(c["arrived_bytes"] for c in run.document["network"]["cables"] if c["name"].split(" -> ")[1] in hosts)
        need = sum(frames(name, e) for name, e in inside)
        if run.document["warmup_ns"] == 0 and need > came:
            yield f"{sorted(hosts)}: {need:.0f} B of payload with headers arrived, and {came} B came in"


def late_hosts(run):
    """Hosts whose NICs may hold what they have acknowledged."""
    if scenario_of(run)["nics"]["translations"] or scenario_of(run)["nics"]["contexts"]:
        return set(host_rates(run))
    return {h for e in [*scenario_of(run)["slow_hosts"], *scenario_of(run).get("nodes", ())] for h in spelt(e["hosts"])}


def messages_make_the_goodput(scenario, run):
    """Whole messages have arrived: their bytes are at most what arrived and what had arrived of them before."""
    if run.document["warmup_ns"] > 0:
        return
    for e in entries(run, "rdma"):
        if e["load"] > 0 and e["sizes"] != "fixed" or e["operation"] == "read":
            continue  # drawn sizes; a READ is over in the NIC
        bytes_over = run.metrics[f"{e['name']}.messages"] * quantity(e["size"])
        arrived = run.metrics[f"{e['name']}.goodput_gbps"] * window(run) / 8
        held = quantity(scenario_of(run)["nics"]["buffer"]) * len(late_hosts(run) & set(spelt(e["to"])))
        if bytes_over > arrived + held + 6e-4 * window(run) / 8 + 1:
            yield f"{e['name']}: messages of {bytes_over:.0f} B are over, and {arrived:.0f} B arrived"


FACTORS = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n, "reduce_scatter": lambda n: (n - 1) / n,
           "all_to_all": lambda n: (n - 1) / n, "broadcast": lambda n: 1, "reduce": lambda n: 1, "gather": lambda n: (n - 1) / n,
           "scatter": lambda n: (n - 1) / n}  # nccl-tests, doc/PERFORMANCE.md


def may_stay(run, entry):
    """Whether it may be that no rank has anything for another: by the sizes, or by chance as long as nothing is sent."""
    if entry.get("sizes"):
        ranks = len(spelt(entry["hosts"]))
        return not any(quantity(size) for n, size in enumerate(entry["sizes"]) if n % (ranks + 1))
    alone = len(list(entries(run, "rdma", "collectives", "traces", "tcp"))) == 1
    return "token" in entry and not (alone and any(c["busy_percent"] for c in run.document["network"]["cables"]))


def collectives_say_one_time(scenario, run):
    """Bandwidths are bytes over time, by the factors of nccl-tests; none is more than the cables carry."""
    for e in entries(run, "collectives"):
        time, alg, bus, nic = (run.metrics[f"{e['name']}.{key}"] for key in ("time_us", "algbw", "busbw", "nic_gbps"))
        if time is None:
            if (alg, bus, nic) != (None, None, None):
                yield f"{e['name']}: not over, and {alg}, {bus}, {nic}"
            continue
        ranks = spelt(e["hosts"])
        rates = limits_of_hosts(run)
        if time == 0 and may_stay(run, e) and (alg, bus, nic) == (None, None, None):
            continue
        if time <= 0 or None in (nic, alg) and not e.get("sizes"):
            yield f"{e['name']}: took {time} us, and {alg}, {bus}, {nic}"
            continue
        if nic > max(rates[h] for h in ranks) / 1e9 * 1.0005 + 1e-3 and gpus_of(run) == 1:
            yield f"{e['name']}: {nic} Gb/s at a NIC, of cables with {max(rates[h] for h in ranks) / 1e9}"
        if e.get("sizes"):
            continue
        size, factor = quantity(e["bytes"]), FACTORS[e["kind"]](len(ranks))
        wanted = size / time / 1e3
        if abs(alg - wanted) > 6e-4 + wanted * 1e-3 / time or abs(bus - wanted * factor) > 6e-4 + wanted * factor * 1e-3 / time:
            yield f"{e['name']}: algbw {alg}, busbw {bus}; {size:.0f} B in {time} us are {wanted:.3f} and {wanted * factor:.3f}"
        rounds = e["kind"] in ("all_reduce", "all_gather", "reduce_scatter")
        if rounds and gpus_of(run) == 1 and not is_flows(run):
            count = len(ranks) // e["rings"]
            least = {"all_reduce": 2}.get(e["kind"], 1) * (count - 1) / count * size / e["rings"]
            if e["algorithm"] == "tree":
                least /= 4  # a leaf of both trees passes half of it each way
            least *= 8e6 / min(rates[h] for h in ranks)
            if time < least:
                yield f"{e['name']}: {time} us, and its slowest host takes {least:.3f} us"


def the_sentence_agrees_with_the_tables(scenario, run):
    """It begins with what it names; a cable that it calls busy is that busy; nothing is named in vain."""
    document = run.document
    sentence, limit = document["bottleneck"], document["limit"]
    if document["deadlock"] is None and not sentence.startswith(limit):
        yield f"\"{sentence}\" does not begin with {limit}"
    names = [t for one in document["limits"] for t in one["traffic"]]
    known = [e["name"] for e in entries(run, "rdma", "tcp", "collectives", "traces")]
    if len(set(names)) != len(names) or not set(names) <= set(known):
        yield f"limits of {names}, entries {known}"
    free = {e["name"] for e in entries(run, "rdma")} | {name for name in known if run.metrics.get(f"{name}.time_us") == 0}
    if document["deadlock"] is None and not document["limits"] and set(known) - free:
        yield f"no limit of {known}"
    for said in document["network"]["said"]:
        found = re.match(r"cable (.* -> .*?), busy ([0-9.]+) % of the time", said)
        if found and not re.match(r" of \w", said[found.end():]):  # a collective's: of its own time
            uses = [c["busy_percent"] for c in document["network"]["cables"] if c["name"] == found[1]]
            if not uses or abs(max(uses) - float(found[2])) > 0.06:
                yield f"\"{said}\", and the table says {uses}"
    busy = [c["busy_percent"] for c in document["network"]["cables"]]
    if busy != sorted(busy, reverse=True):
        yield "cables are not in the order of their use"


def totals_are_sums(scenario, run):
    """Figures of the network are those of its cables together."""
    if is_flows(run):
        return
    cables, m = run.document["network"]["cables"], run.metrics
    for metric, key in (("network.packets", "sent_packets"), ("network.marked", "marked")):
        if m[metric] != sum(c[key] for c in cables):
            yield f"{metric} is {m[metric]}, of cables {sum(c[key] for c in cables)}"
    if m["network.dropped"] < sum(c["dropped"] for c in cables):
        yield f"network.dropped is {m['network.dropped']}, of cables {sum(c['dropped'] for c in cables)}"
    if m["network.queue_peak_bytes"] != max(c["queue_peak_bytes"] for c in cables):
        yield f"network.queue_peak_bytes is {m['network.queue_peak_bytes']}"
    own = scenario_of(run)["switches"]["buffer"]
    for c in cables:
        if c["queue_peak_bytes"] > quantity(own):
            yield f"{c['name']}: a queue of {c['queue_peak_bytes']} B in a buffer of {own}"


def quiet_cables_lose_nothing(scenario, run):
    """PFC loses no packet of a lossless priority: drops are on cables that lose or fail, or where a priority is lossy."""
    resolved = scenario_of(run)
    if is_flows(run) or resolved["events"] or "headroom" in resolved["switches"]:
        return
    if any(c.get("loss") or c.get("lost") for c in resolved["network"].get("cables", ())):
        return
    used = {0} if resolved.get("tcp") else {6, resolved["nics"]["cnp_priority"]} | {e["priority"] for e in resolved.get("rdma", ())}
    used |= {3, 5} if resolved.get("collectives") or resolved.get("traces") else set()
    if used <= set(resolved["switches"].get("lossless", ())) and sum(c["dropped"] for c in run.document["network"]["cables"]):
        yield f"drops without a cause: {[c for c in run.document['network']['cables'] if c['dropped']]}"


ALL = (ends_well, deadlocks_have_a_cycle, bytes_are_conserved, ports_conserve_bytes, switches_conserve_bytes, entries_conserve_bytes,
       numbers_have_a_range, times_are_in_order, cables_carry_what_they_can, payload_came_over_the_cables, goodput_fits_the_cables,
       messages_make_the_goodput,
       collectives_say_one_time, the_sentence_agrees_with_the_tables, totals_are_sums, quiet_cables_lose_nothing)
