#!/usr/bin/env python3
"""Holds peerpath's TCP against ns-3.37 on topologies that both are given: completion times flow by flow, and goodput.

usage: judge.py PEERPATH NS3_PROGRAM

A case is one scenario; what ns-3 gets is made from it. Where the two would differ by choice, the scenario takes ns-3's: slow start of
TcpCubic grows by one segment for each acknowledgement (RFC 5681), that of TcpLinuxReno and TcpDctcp by what it covers; no quick acknowledgements at
the start, no HyStart, cores that cost nothing, no TSO or GRO, switches without latency. ns-3's hosts queue without a bound in front of their device, where
Linux's hold data back: with Reno, whose later windows show it, the narrow cable is not the sender's. ns-3's DCTCP lets a window fall to one segment,
where Linux keeps two, and such a segment waits for the delayed acknowledgement: with DCTCP that delay is 100 us in both. Losses are few and early: after many
ns-3 stalls with SACK, and it ends in a fault (TcpRateLinux::SkbSent) after some, it seems where the receiver's window is the limit. Goodput: bytes of all flows until the last of them is over. Fails above 3 % in a goodput or 5 % in the median of completion times.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

GOODPUT, MEDIAN = 3.0, 5.0
CONGESTION = {"cubic": "TcpCubic", "dctcp": "TcpDctcp", "reno": "TcpLinuxReno"}
FREE = {"packet_cost": "0ns", "segment_cost": "0ns", "syscall_cost": "0ns", "tso": "0B", "gro": "0B", "ring": 1000000}
FRAME = 1514


def case(congestion, cables, flows, mark=0, sack=True):
    """cables: (a, b, Gb/s, us, lost packets); flows: (from, to, bytes, start in us)."""
    return {"congestion": congestion, "cables": cables, "flows": flows, "mark": mark, "sack": sack}


def dumbbell(senders, congestion, bytes_of, rate=10, mark=0, lost=(), sack=True, delays=None):
    cables = [(f"s{i}", "left", 40, delays[i] if delays else 2, ()) for i in range(senders)]
    cables += [(f"r{i}", "right", 40, 2, ()) for i in range(senders)]
    cables += [("left", "right", rate, 2, lost)]
    return case(congestion, cables, [(f"s{i}", f"r{i}", bytes_of(i), 0) for i in range(senders)], mark, sack)


def parking_lot():
    cables = [(f"w{i}", f"w{i + 1}", 10, 2, ()) for i in range(3)]
    ends = [("a", "w0"), ("b", "w3")] + [(f"s{i}", f"w{i}") for i in range(3)] + [(f"r{i}", f"w{i + 1}") for i in range(3)]
    cables += [(host, switch, 40, 2, ()) for host, switch in ends]
    flows = [("a", "b", 20_000_000, 0)] + [(f"s{i}", f"r{i}", 20_000_000, 0) for i in range(3)]
    return case("dctcp", cables, flows, mark=60)


CASES = {
    "one flow, CUBIC": case("cubic", [("a", "w", 10, 10, ()), ("w", "b", 10, 10, ())], [("a", "b", 50_000_000, 0)]),
    "one flow, CUBIC, single losses": case("cubic", [("a", "w", 10, 50, (1000, 20000)), ("w", "b", 10, 50, ())],
                                           [("a", "b", 50_000_000, 0)]),
    "one flow, Reno, single losses, no SACK": case("reno", [("a", "w", 40, 50, (1000, 15000, 30000)), ("w", "b", 10, 50, ())],
                                                   [("a", "b", 50_000_000, 0)], sack=False),
    "dumbbell of two, CUBIC": dumbbell(2, "cubic", lambda i: 20_000_000),
    "dumbbell of eight, DCTCP": dumbbell(8, "dctcp", lambda i: 5_000_000 * (1 + i % 4), mark=60),
    "dumbbell of four round trips, DCTCP": dumbbell(4, "dctcp", lambda i: 10_000_000, mark=60, delays=[2, 10, 20, 40]),
    "incast of sixteen, DCTCP": case("dctcp", [(f"h{i}", "tor", 10, 2, ()) for i in range(17)],
                                     [(f"h{i}", "h16", 1_000_000, 0) for i in range(16)], mark=60),
    "parking lot, DCTCP": parking_lot(),
}


def ack_delay_us(c):
    return 100 if c["congestion"] == "dctcp" else 40_000


def scenario(c):
    hosts = sorted({name for flow in c["flows"] for name in flow[:2]})
    switches = sorted({name for cable in c["cables"] for name in cable[:2]} - set(hosts))
    cables = [{"from": a, "to": b, "rate": f"{rate}Gbps", "delay": f"{delay}us", "lost": list(lost)} for a, b, rate, delay, lost in c["cables"]]
    at = f"{c['mark'] * FRAME}B" if c["mark"] else "100000000B"
    return {
        "network": {"hosts": hosts, "switches": switches, "cables": cables},
        "switches": {"buffer": "1000000000B", "latency": "0ns", "ecn_min": at, "ecn_max": at, "ecn_max_probability": 1, "ecn_rate": "10Gbps"},
        "tcp_stack": {"congestion": c["congestion"], "sack": c["sack"], "acknowledge": "delayed",
                      "slow_start": "per_ack" if c["congestion"] == "cubic" else "bytes_acked", "ack_delay": f"{ack_delay_us(c)}us"},
        "tcp_hosts": FREE,
        "tcp": [{"name": f"f{i}", "from": a, "to": b, "bytes": f"{size}B", "start": f"{start}us"} for i, (a, b, size, start) in enumerate(c["flows"])],
        "run": {"measure": "10s"},
    }


def by_peerpath(program, c, folder):
    path = pathlib.Path(folder) / "case.json"
    path.write_text(json.dumps(scenario(c)))
    subprocess.run([program, "run", path, "--out", folder], check=True, capture_output=True)
    metrics = json.loads(next(pathlib.Path(folder).rglob("results.json")).read_text())["metrics"]
    values = {m["name"]: m["value"] for m in metrics}
    return [values[f"f{i}.time_max_us"] for i in range(len(c["flows"]))]


def by_ns3(program, c):
    lines = [f"set congestion {CONGESTION[c['congestion']]}", f"set sack {int(c['sack'])}", f"set mark {c['mark']}",
             f"set ack_delay_us {ack_delay_us(c)}"]
    lines += [f"link {a} {b} {rate * 10**9} {delay * 1000} {','.join(map(str, lost)) or '-'}" for a, b, rate, delay, lost in c["cables"]]
    lines += [f"flow {a} {b} {size} {start * 1000}" for a, b, size, start in c["flows"]]
    out = subprocess.run([program], input="\n".join(lines) + "\n", check=True, capture_output=True, text=True).stdout
    times = {int(n): int(t) / 1000 for n, t in (line.split() for line in out.splitlines())}
    return [times.get(i, float("inf")) - flow[3] for i, flow in enumerate(c["flows"])]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    failed = 0
    print(f"{'case':42} {'goodput ns-3':>12} {'here':>8} {'off %':>6} {'median ns-3':>12} {'here':>10} {'off %':>6}")
    for name, c in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            here = by_peerpath(sys.argv[1], c, folder)
        there = by_ns3(sys.argv[2], c)
        bits = sum(flow[2] for flow in c["flows"]) * 8
        rates = [bits / max(times) / 1000 for times in (there, here)]
        medians = [statistics.median(times) for times in (there, here)]
        off = [100 * (b / a - 1) for a, b in (rates, medians)]
        right = abs(off[0]) <= GOODPUT and abs(off[1]) <= MEDIAN
        failed += not right
        print(f"{name:42} {rates[0]:12.3f} {rates[1]:8.3f} {off[0]:6.2f} {medians[0]:12.1f} {medians[1]:10.1f} {off[1]:6.2f}{'' if right else '  FAILED'}")
    print(f"{len(CASES) - failed} within {GOODPUT:g} % and {MEDIAN:g} %, {failed} not")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
