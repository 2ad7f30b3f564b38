"""Random scenarios of PCIe and of networks without a warm-up and without a window. More than a third are overloaded.

`paths`: devices below a switch that write to and read from each other, at rates below and above what their links carry.
`shared_reader`: one GPU reads from a fast and from a slow memory. Both share its tags; the slow one takes them all, after
milliseconds.
`fifo`: frames come faster than a GPU takes them, by little: the FIFO of the NIC fills in milliseconds.
`incast`: hosts write to one host, with and without DCQCN, whose rates take milliseconds to settle.
`timed`: hosts write at intervals, on cables that carry more or less than that.
`streams`: TCP connections that fill the buffer of a switch and lose packets.
"""

import random

KINDS = ("paths", "paths", "shared_reader", "fifo", "incast", "timed", "streams")


def memory():
    return {"kind": "host_memory", "at": "rc", "read_rate": "800Gbps", "write_rate": "800Gbps"}


def gpu(**keys):
    return {"kind": "gpu", "read_rate": "700Gbps", "write_rate": "700Gbps", **keys}


def paths(draw):
    devices = {"rc": {"kind": "root_complex"}, "dram": memory(), "sw": {"kind": "pcie_switch"}}
    links = [{"from": "rc", "to": "sw", "generation": draw.choice((4, 5)), "width": 16}]
    capacity = {}
    for n in range(draw.randint(2, 4)):
        devices[f"gpu{n}"] = gpu()
        generation, width = draw.choice(((3, 4), (3, 8), (4, 8), (4, 16), (5, 16)))
        capacity[f"gpu{n}"] = {3: 7, 4: 14, 5: 28}[generation] * width
        links.append({"from": "sw", "to": f"gpu{n}", "generation": generation, "width": width})
    traffic = []
    gpus = list(capacity)
    for n in range(draw.randint(1, 4)):
        source = draw.choice(gpus)
        target = draw.choice([g for g in gpus if g != source] + ["dram"])
        fits = min(capacity[source], capacity.get(target, 400))
        traffic.append({"name": f"t{n}", "kind": draw.choice(("read", "write")), "from": source, "to": target,
                        "rate": f"{max(1, int(fits * draw.choice((0.2, 0.5, 0.8, 1.05, 1.3, 1.6))))}Gbps",
                        "sizes": draw.choice(("2KiB", "4KiB", "16KiB", "64KiB")),
                        "arrival": draw.choice(("regular", "regular", "regular", "jittered"))})
    return {"devices": devices, "links": links, "traffic": traffic}


def shared_reader(draw):
    width, size = draw.choice((4, 8)), draw.choice((16, 32))
    rates = {4: draw.choice((24, 31, 34, 40)), 8: draw.choice((48, 60, 66, 72))}
    devices = {"rc": {"kind": "root_complex"}, "dram": memory(), "sw": {"kind": "pcie_switch"},
               "gpu0": gpu(outstanding=draw.choice((16, 32)), kernels={"one_queue": True}), "gpu1": gpu()}
    links = [{"from": "rc", "to": "sw", "width": 16}, {"from": "sw", "to": "gpu0", "width": 16},
             {"from": "sw", "to": "gpu1", "generation": 3, "width": width}]
    traffic = [{"name": "fast", "kind": "read", "from": "gpu0", "to": "dram", "rate": f"{draw.choice((200, 300, 480))}Gbps",
                "sizes": f"{size}KiB"},
               {"name": "slow", "kind": "read", "from": "gpu0", "to": "gpu1", "rate": f"{rates[width]}Gbps", "sizes": f"{size}KiB"}]
    return {"devices": devices, "links": links, "traffic": traffic}


def fifo(draw):
    rate = draw.choice((100, 200))
    devices = {"rc": {"kind": "root_complex"}, "dram": memory(), "cpu": {"kind": "host_cpu", "at": "rc", "cores": 8},
               "sw": {"kind": "pcie_switch"}, "nic0": {"kind": "nic", "rx_fifo": draw.choice(("256KiB", "512KiB", "1MiB"))},
               "gpu0": gpu(write_rate=f"{int(rate * draw.choice((0.90, 0.94, 0.97, 1.2)))}Gbps")}
    links = [{"from": "rc", "to": "sw", "width": 16}, {"from": "sw", "to": "nic0", "width": 16},
             {"from": "sw", "to": "gpu0", "width": 16}]
    traffic = [{"name": "rx", "kind": "receive", "from": "nic0", "to": "gpu0", "headers_to": "dram", "rate": f"{rate}Gbps",
                "sizes": draw.choice(("4096B", "8192B")), "flows": 16}]
    return {"devices": devices, "links": links, "traffic": traffic}


def hosts(count, rate):
    return {"hosts": [f"h0..h{count - 1}"], "switches": ["leaf"],
            "cables": [{"from": f"h0..h{count - 1}", "to": "leaf", "rate": f"{rate}Gbps", "delay": "500ns"}]}


def incast(draw):
    senders, rate = draw.randint(2, 6), draw.choice((25, 100))
    return {"network": hosts(senders + 1, rate), "nics": {"dcqcn": draw.choice(("off", "original", "vendor"))},
            "rdma": [{"name": "in", "from": f"h0..h{senders - 1}", "to": f"h{senders}", "size": draw.choice(("16KiB", "64KiB")),
                      "outstanding": draw.choice((2, 8, 16))}]}


def timed(draw):
    rate, size = draw.choice((25, 100)), draw.choice((16, 64))
    load = draw.choice((0.3, 0.6, 0.8, 1.1, 1.3))
    senders = draw.randint(1, 4)
    interval = size * 1024 * 8 / (rate * load) * senders
    return {"network": hosts(senders + 1, rate),
            "rdma": [{"name": "in", "from": f"h0..h{senders - 1}", "to": f"h{senders}", "size": f"{size}KiB",
                      "interval": f"{interval:.0f}ns"}]}


def streams(draw):
    senders = draw.randint(1, 3)
    return {"network": hosts(senders + 1, draw.choice((1, 2.5))), "switches": {"buffer": draw.choice(("256kB", "1MB"))},
            "tcp_stack": {"min_rto": draw.choice(("5ms", "20ms"))},
            "tcp": [{"name": "in", "from": f"h0..h{senders - 1}", "to": f"h{senders}", "connections": draw.choice((1, 4))}],
            "run": {"at_most": "1s"}}  # 50 retransmission timeouts at least


def scenario(seed):
    kind = KINDS[seed % len(KINDS)]
    return kind, globals()[kind](random.Random(f"{kind} {seed}"))
