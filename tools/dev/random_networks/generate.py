"""Random small networks: every topology, transport, collective and way to load or break them. One seed gives one scenario."""

import json
import random

RATES = ("10Gbps", "25Gbps", "100Gbps", "100Gbps", "400Gbps")
DELAYS = ("25ns", "250ns", "1us", "5us")
PATHS = ("ecmp", "ecmp", "ecmp_qp", "pinned", "spray", "flowlet", "polarised")
HOSTS = ("hosts/training_host", "hosts/dgx_a100_own_switch")  # of `nodes`, with one NIC


class Place:
    """A topology, the names of its hosts in their order, and two ends of each cable that an event may name."""

    def __init__(self, network, hosts, cables, group=1):
        self.network, self.hosts, self.cables, self.group = network, hosts, cables, group


def shape(draw):
    return {"host_rate": draw.choice(RATES), "fabric_rate": draw.choice(RATES),
            "host_delay": draw.choice(DELAYS), "fabric_delay": draw.choice(DELAYS)}


def star(draw):
    count = draw.randint(2, 7)
    hosts = [f"h{n}" for n in range(count)]
    cables = [{"from": host, "to": "leaf", "rate": draw.choice(RATES), "delay": draw.choice(DELAYS)} for host in hosts]
    if draw.random() < 0.6:
        cables = [{**cables[0], "from": f"h0..h{count - 1}"}]
    flawed = draw.choice(cables)
    if draw.random() < 0.15:
        flawed["loss"] = draw.choice((0.0001, 0.001, 0.02))
    elif draw.random() < 0.1:
        flawed["lost"] = sorted(draw.sample(range(1, 60), 3))
    return Place({"hosts": [f"h0..h{count - 1}"], "switches": ["leaf"], "cables": cables}, hosts, [(h, "leaf") for h in hosts])


def two_leaves(draw):
    count = draw.randint(2, 3)
    hosts = [f"h{n}" for n in range(2 * count)]
    middle = [f"m{n}" for n in range(draw.randint(1, 2))]
    cables = [{"from": f"h0..h{count - 1}", "to": "leaf0", "rate": draw.choice(RATES)},
              {"from": f"h{count}..h{2 * count - 1}", "to": "leaf1", "rate": draw.choice(RATES)}]
    ends = [("h0", "leaf0")]
    for name in middle:
        for leaf in ("leaf0", "leaf1"):
            cables.append({"from": leaf, "to": name, "rate": draw.choice(RATES), "delay": draw.choice(DELAYS),
                           "count": draw.choice((1, 1, 2))})
            ends.append((leaf, name))
    return Place({"hosts": [f"h0..h{2 * count - 1}"], "switches": ["leaf0", "leaf1", *middle], "cables": cables}, hosts, ends)


def clos(draw):
    clusters = draw.choice((1, 1, 2))
    numbers = {"clusters": clusters, "racks": 2, "hosts": draw.choice((2, 3, 4)), "spines": draw.choice((1, 2)),
               "aggregations": draw.choice((1, 2)) if clusters == 2 else 0}
    count = clusters * numbers["racks"] * numbers["hosts"]
    return Place({"clos": {**numbers, "cables": shape(draw)}}, [f"h{n}" for n in range(count)], [],
                 draw.choice((1, 1, numbers["hosts"])))


def fat_tree(draw):
    ports = draw.choice((2, 4))
    return Place({"fat_tree": {"ports": ports, "cables": shape(draw)}}, [f"h{n}" for n in range(ports**3 // 4)], [])


def rail_optimised(draw):
    servers, rails = draw.randint(2, 3), draw.choice((2, 4))
    return Place({"rail_optimised": {"servers": servers, "rails": rails, "spines": draw.choice((1, 2)), "cables": shape(draw)}},
                 [f"h{n}" for n in range(servers * rails)], [], draw.choice((1, rails)))


def dragonfly(draw):
    groups, routers, hosts = draw.choice((2, 3)), draw.choice((1, 2)), draw.choice((1, 2))
    return Place({"dragonfly": {"groups": groups, "routers": routers, "hosts": hosts, "cables": shape(draw)}},
                 [f"h{n}" for n in range(groups * routers * hosts)], [])


def some(draw, chance, **keys):
    """Each of the keys with this chance, one of its values."""
    return {key: draw.choice(values) for key, values in keys.items() if draw.random() < chance}


def switches(draw):
    out = some(draw, 0.25, alpha_log2=(-4, -3, 0), lossy_alpha_log2=(-3, 0, 2), reserve=("0B", "4KiB"), resume_offset=("3KiB", "8KiB"),
               ecn_min=("5kB", "50kB"), ecn_max=("200kB", "400kB"), ecn_max_probability=(0.0, 0.1, 1.0), ecn_rate=("25Gbps", "100Gbps"),
               weights=([0, 1, 1, 3, 0, 0, 0, 0], [1] * 8), latency=("0ns", "300ns", "1us"), pfc_reaction=("0ns", "100ns", "500ns"),
               flowlet_gap=("2us", "500us"), convergence=("0ns", "10us", "50us"))
    out |= some(draw, 0.5, buffer=("200kB", "500kB", "1MB", "4MB", "32MB"), lossless=([], [], [3], [0], [0, 3], [1, 3, 5]), path=PATHS)
    if out.get("lossless") != [] and out.get("buffer") in ("200kB", "500kB"):
        out["buffer"] = "4MB"
    if draw.random() < 0.1:
        out["headroom"] = draw.choice(("20kB", "100kB"))
    return out


def nics(draw):
    out = some(draw, 0.2, mtu=(256, 1024, 1500, 4096), source_port=("by_qp", "by_pair"), window=(1, 16, 256, 4096),
               ack_every=(1, 4, 64), retries=(0, 3, 7), cnp_priority=(0, 3, 6), message_rate=(0, 1_000_000, 20_000_000),
               qp_message_rate=(0, 500_000, 4_000_000), wqe_fetch=("0ns", "500ns"))
    out |= some(draw, 0.5, dcqcn=("off", "original", "vendor", "conservative"), recovery=("go_back_n", "selective_repeat"),
                timeout=("20us", "100us", "1ms"))
    if draw.random() < 0.2:
        above = draw.choice((64, 128, 200))
        out |= {"buffer": draw.choice(("256KiB", "300KiB", "1MiB")), "pause_above": f"{above}KiB", "resume_below": f"{above * 3 // 4}KiB"}
    if draw.random() < 0.1:
        out |= {"translations": draw.choice((4, 64)), "translation_page": draw.choice(("4KiB", "2MiB")), "translation_miss": "300ns"}
    if draw.random() < 0.1:
        out |= {"contexts": draw.choice((1, 4, 64)), "context_miss": "300ns"}
    return out


def ends(draw, hosts):
    """Senders and receivers of an entry: pairs, an incast, or one pair."""
    mixed = draw.sample(hosts, len(hosts))
    how = draw.choice(("pair", "incast", "pairs"))
    if how == "incast":
        return mixed[1:draw.randint(2, len(mixed))], mixed[:1]
    count = 1 if how == "pair" else draw.randint(1, len(hosts) // 2)
    return mixed[:count], mixed[count:2 * count]


def rdma(draw, hosts, number):
    senders, receivers = ends(draw, hosts)
    entry = {"name": f"r{number}", "from": senders, "to": receivers,
             "operation": draw.choice(("write", "write", "send", "write_immediate", "read", "fetch_add", "compare_swap"))}
    entry |= some(draw, 0.5, size=("1B", "100B", "2KiB", "5000B", "16KiB", "64KiB", "300KiB"), qps=(1, 2, 5), outstanding=(1, 2, 16),
                  start=("0ns", "5us", "30us"))
    entry |= some(draw, 0.15, priority=(0, 1, 2, 4), registered=("1MiB", "4MiB"))
    how = draw.choice(("endless", "endless", "messages", "interval", "load", "datagrams"))
    if how == "messages":
        entry["messages"] = draw.choice((1, 2, 10))
    elif how == "interval":
        entry |= {"interval": draw.choice(("1us", "3us", "20us")), "fresh": draw.random() < 0.3}
        entry |= some(draw, 0.3, messages=(1, 5))
        entry.pop("outstanding", None)
    elif how == "load":
        entry |= {"load": draw.choice((5, 30, 70, 100)), "operation": draw.choice(("write", "send"))}
        entry |= some(draw, 0.2, sizes=("web_search",))
        if len(receivers) == 1 and draw.random() < 0.5:
            entry["to"] = receivers + senders[:1] if len(senders) > 1 else receivers
        for key in ("outstanding", "qps", "registered"):
            entry.pop(key, None)
    elif how == "datagrams":
        entry |= {"transport": "UD", "operation": "send", "size": draw.choice(("1B", "200B"))}
        entry |= some(draw, 0.5, receives=(1, 16, 200))
        if "receives" in entry:
            entry |= some(draw, 0.6, receive_time=("100ns", "1us"))
        for key in ("priority", "registered"):
            entry.pop(key, None)
    if entry["operation"] in ("fetch_add", "compare_swap"):
        entry["size"] = "8B"
    return entry


def collective(draw, place, number):
    hosts = place.hosts
    kind = draw.choice(("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter"))
    halves = kind in ("all_reduce", "all_gather", "reduce_scatter")
    count = len(hosts) if place.group > 1 else draw.randint(2, min(len(hosts), 8))
    entry = {"name": f"c{number}", "kind": kind, "hosts": hosts[:count], "bytes": draw.choice(("4KiB", "64KiB", "256KiB", "1000000B"))}
    if kind in ("all_reduce", "broadcast", "reduce", "gather", "scatter"):
        entry |= some(draw, 0.5, algorithm=("ring", "tree"))
    if place.group > 1 and kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all") and count > place.group:
        entry["hierarchical"] = draw.random() < 0.5
    if kind in ("broadcast", "reduce", "gather", "scatter"):
        entry["root"] = draw.randrange(count)
    if halves and not entry.get("hierarchical") and count % 2 == 0 and count >= 4:
        entry |= some(draw, 0.3, rings=(2,))
    if kind == "all_to_all" and draw.random() < 0.4:
        if draw.random() < 0.5:
            del entry["bytes"]
            entry["sizes"] = [f"{draw.choice((0, 100, 4096, 30000))}B" for _ in range(count * count)]
        else:
            entry |= {"token": draw.choice(("256B", "4KiB")), "skew": draw.choice((0, 1))}
    if draw.random() < 0.25:
        entry["buffers"] = {"size": draw.choice(("16KiB", "64KiB"))}
    else:
        entry |= some(draw, 0.2, clear_to_send=(1, 4), **({} if kind in ("all_to_all", "gather", "scatter") else {"slices": (1, 4, 16)}))
    if kind in ("all_to_all", "scatter"):
        entry |= some(draw, 0.3, window=(1, 8))
    return entry | some(draw, 0.2, channels=(2,), protocol=("LL", "LL128"), qps=(2, 4), qp_use=("split",), start=("3us", "20us"))


def trace(draw, hosts, number):
    return {"name": f"j{number}", "file": "job.json", "hosts": hosts[:draw.randint(2, min(4, len(hosts)))],
            **some(draw, 0.3, all_reduce=("tree",), slices=(1, 4), least_slice=("1KiB",), qps=(2,), qp_use=("split",), window=(1,),
                   clear_to_send=(1, 4), start=("3us",))}


def job(draw):
    """What every rank of a trace does: nodes one behind the other, or two at once."""
    nodes = []
    for number in range(1, draw.randint(3, 9)):
        node = {"id": number, "name": f"n{number}"}
        if draw.random() < 0.4:
            node |= {"type": "COMP_NODE", "duration_micros": draw.choice((1, 5, 20)), "is_cpu_op": draw.random() < 0.2}
        else:
            kind = draw.choice(("ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER", "ALL_TO_ALL", "BARRIER"))
            node |= {"type": "COMM_COLL_NODE", "comm_type": kind}
            if kind != "BARRIER":
                node["comm_size"] = draw.choice((4096, 65536, 300000))
        if number > 1:
            node["data_deps"] = [draw.randint(max(1, number - 2), number - 1)]
        nodes.append(node)
    return {"nodes": nodes}


def tcp(draw, hosts, number):
    senders, receivers = ends(draw, hosts)
    entry = {"name": f"t{number}", "from": senders, "to": receivers}
    entry |= some(draw, 0.4, connections=(1, 2, 5), bytes=("1B", "20kB", "1MB"), start=("0ns", "10us"), stagger=("1us", "10us"))
    if draw.random() < 0.4:
        entry["consumer"] = some(draw, 0.5, read_size=("4KiB", "64KiB"), rate=("1Gbps", "10Gbps", "100Gbps"), return_every=("16KiB", "64KiB"),
                                 memory=("6MiB", "8MiB"))
    if draw.random() < 0.15:
        entry |= {"keep_at": "20us", "keep_for": draw.choice(("20us", "100us"))}
    return entry


def tcp_stack(draw):
    return some(draw, 0.25, mtu=(576, 1500, 9000), ecn=(True,), sack=(False,), timestamps=(False,), nagle=(True,), initial_window=(1, 10, 100),
                slow_start=("per_ack",), recovery=("rfc6675",), acknowledge=("delayed", "each"), ack_delay=("10us", "40ms"),
                receive_buffer=("64KiB", "1MiB"), window_of=("socket",)) | {
        "congestion": draw.choice(("reno", "cubic", "dctcp")), "min_rto": draw.choice(("100us", "1ms", "200ms")), "initial_rto": "2ms"}


def tcp_hosts(draw):
    return some(draw, 0.2, tso=("0B", "64KiB"), gro=("0B", "64KiB"), ring=(16, 1024), interrupt_delay=("1us", "10us"),
                packet_cost=("0ns", "80ns", "500ns"), segment_cost=("0ns", "500ns"), syscall_cost=("0ns", "500ns"), one_core=(True,),
                nic_buffer=("128KiB", "2MB"), pause_above=("0B", "100kB"))


def run(draw):
    out = {"seed": draw.randrange(1000), "patience": draw.choice(("20us", "200us"))}
    if draw.random() < 0.25:
        return out | {"at_most": draw.choice(("200us", "500us", "1ms")), "precision": draw.choice((1, 5))}
    return out | {"warmup": draw.choice(("0us", "0us", "20us", "70us")), "measure": draw.choice(("5us", "50us", "150us", "300us"))}


def scenario(seed):
    draw = random.Random(f"network {seed}")
    place = draw.choice((star, star, two_leaves, clos, fat_tree, rail_optimised, dragonfly))(draw)
    out = {"network": place.network, "switches": switches(draw), "run": run(draw)}
    few = place.hosts if len(place.hosts) <= 8 else sorted(draw.sample(place.hosts, 8), key=place.hosts.index)
    kind = draw.choice(("rdma", "rdma", "collectives", "tcp", "tcp", "traces", "all"))
    if kind in ("rdma", "all"):
        out["rdma"] = [rdma(draw, few, n) for n in range(draw.randint(1, 3))]
    if kind in ("collectives", "all"):
        out["collectives"] = [collective(draw, place, n) for n in range(draw.randint(1, 2))]
    if kind in ("traces", "all"):
        out["traces"] = [trace(draw, few, 0)]
        out["files"] = {"job.json": job(draw)}
    if kind == "tcp":
        out |= {"tcp": [tcp(draw, few, n) for n in range(draw.randint(1, 3))], "tcp_stack": tcp_stack(draw), "tcp_hosts": tcp_hosts(draw)}
    else:
        out["nics"] = nics(draw)
        if kind != "rdma" and place.group > 1:
            out["servers"] = {"gpus": place.group, **some(draw, 0.3, nvlink=("200Gbps",), nvlink_latency=("0ns", "2us"))}
    if draw.random() < 0.2:
        out["slow_hosts"] = [{"hosts": draw.sample(few, draw.randint(1, 2)), "rate": draw.choice(("5Gbps", "20Gbps", "90Gbps"))}]
    elif draw.random() < 0.08:
        out["nodes"] = [{"hosts": draw.choice(few), "scenario": draw.choice(HOSTS), "level": draw.choice(("node", "tlp", "tlp"))}]
    if place.cables and draw.random() < 0.15:
        one, other = draw.choice(place.cables)
        out["events"] = [{"at": "20us", "from": one, "to": other}]
        out["events"] += [{"at": draw.choice(("25us", "60us")), "from": one, "to": other, "up": True}] if draw.random() < 0.7 else []
    if kind != "tcp" and "events" not in out and draw.random() < 0.12 and level_of_flows_takes(out):
        out["run"]["level"] = "flows"
    return json.loads(json.dumps(out))


def level_of_flows_takes(out):
    plain = all(not e.keys() & {"interval", "load", "transport", "priority"} and e["operation"] not in ("fetch_add", "compare_swap")
                for e in out.get("rdma", ()))
    nodes = all(n["level"] == "node" for n in out.get("nodes", ()))
    return plain and nodes and out["switches"].get("path") not in ("spray", "flowlet")
