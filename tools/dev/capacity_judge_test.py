#!/usr/bin/env python3
"""The capacity judge is judged here: its arithmetic by figures worked out by hand, and by flaws planted in what it judges.

usage: capacity_judge_test.py PEERPATH
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PEERPATH = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

sys.path.insert(0, str(HERE / "capacity_judge"))
import closed_form  # noqa: E402
import generate  # noqa: E402
import links  # noqa: E402
import shares  # noqa: E402
from network import Network  # noqa: E402

# Stands for peerpath: simulates another machine than the one it is asked about, or changes what it says.
STAND_IN = """#!/usr/bin/env python3
import json, subprocess, sys
scenario = json.load(open("scenario.json"))
ports = {{}}
for link in scenario["links"]:
    ports.setdefault(link["from"], []).append(link["to"])
    ports.setdefault(link["to"], []).append(link["from"])
ports["rc"].append("dram")
{machine}
json.dump(scenario, open("scenario.json", "w"))
done = subprocess.run([{peerpath!r}, *sys.argv[1:]], capture_output=True, text=True)
out = done.stdout
if done.returncode == 0:
    results = json.loads(out)
    metrics = {{m["name"]: m for m in results["metrics"]}}
{said}
    out = json.dumps(results)
sys.stdout.write(out)
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
"""

# Flaws of the machine that is simulated, with the rule that finds them.
MACHINES = {
    "turns that starve": ("share", """
scenario["arbitration"] = [{"at": at, "from": near[0], "to": to, "turns": 256}
                           for at, near in ports.items() if at in ("rc", "sw0", "sw1", "sw2") for to in near[1:]]"""),
    "turns that are not fair": ("max_min", """
scenario["arbitration"] = [{"at": at, "from": near[0], "to": to, "turns": 3}
                           for at, near in ports.items() if at in ("rc", "sw0", "sw1", "sw2") for to in near[1:]]"""),
    "links that are 5 % slower": ("share", """
for link in scenario["links"]:
    link["link_share"] = 0.95"""),
    "few credits where there should be no end": ("work_conserving", """
for link in scenario["links"]:
    link["credits"] = {"posted_header": 1, "non_posted_header": 1}"""),
    "credits that come back a microsecond late": ("spreading", """
for link in scenario["links"]:
    link["update_fc"] = "1us" """),
    "credits that get lost": ("round_trip", """
scenario["events"] = [{"at": "0ns", "kind": "credit_leak", "device": link["to"], "way": way, "tlp_class": name,
                       "headers": link["credits"][name + "_header"] - 1}
                      for link in scenario["links"] for way in ("up", "down") for name in ("posted", "non_posted")
                      if link["credits"][name + "_header"] > 1]"""),
    "half of the tags": ("round_trip", """
for device in scenario["devices"].values():
    if device.get("function", {}).get("tags", 1) > 1:
        device["function"]["tags"] //= 2"""),
    "credits that come back late": ("round_trip", """
for link in scenario["links"]:
    link["update_fc"] = "120ns" """),
}
RESULTS = {
    "a flow that starves": ("share", """
    metrics[scenario["traffic"][0]["name"] + ".payload_bytes"]["value"] = 0"""),
    "writes of one device that differ": ("equal", """
    for t in [t for t in scenario["traffic"] if t["kind"] == "write"][::2]:
        metrics[t["name"] + ".payload_bytes"]["value"] *= 0.5"""),
    "bytes counted twice": ("capacity", """
    for t in scenario["traffic"]:
        metrics[t["name"] + ".payload_bytes"]["value"] *= 2"""),
}


def two_writers(width, other="256B"):
    """Two GPUs below a switch that write to DRAM, Gen4 x16 each, by an uplink of the given width."""
    def gpu(payload):
        return {"kind": "gpu", "function": {"max_payload": payload}}

    write = {"kind": "write", "to": "dram", "rate": "500Gbps", "sizes": "4KiB"}
    scenario = {
        "devices": {"rc": {"kind": "root_complex"}, "dram": {"kind": "host_memory", "at": "rc"}, "sw0": {"kind": "pcie_switch"},
                    "gpu0": gpu("256B"), "gpu1": gpu(other)},
        "links": [{"from": "rc", "to": "sw0", "generation": 4, "width": width},
                  {"from": "sw0", "to": "gpu0", "generation": 4, "width": 16},
                  {"from": "sw0", "to": "gpu1", "generation": 4, "width": 16}],
        "traffic": [{"name": "a", "from": "gpu0", **write}, {"name": "b", "from": "gpu1", **write}]}
    return scenario


def gbps(flow, rate):
    return rate * flow.size * 8e-9


class Arithmetic(unittest.TestCase):
    def test_rates_are_those_of_the_specification(self):
        # 16 GT/s x 16 x 128/130 x 1534/1538; 256 of 280 bytes are payload
        self.assertAlmostEqual(links.rate(4, 16) * 8e-9, 251.404, places=2)
        self.assertAlmostEqual(links.rate(4, 16) * 8e-9 * 256 / 280, 229.86, places=1)
        self.assertAlmostEqual(links.rate(1, 1) * 8e-9, 1.9948, places=3)
        # (256 + 28) x 3.0 / 16 + 115 symbols of half a nanosecond
        self.assertAlmostEqual(links.ack_interval(4, 16, 256) * 1e9, 84.0, places=1)

    def test_two_writers_have_half_an_uplink_each(self):
        network = Network(two_writers(16))
        rates = shares.by_turns(network).rates()
        for flow in network.flows:
            self.assertAlmostEqual(gbps(flow, rates[flow.name]), 229.86 / 2, delta=0.5)

    def test_one_that_wants_little_leaves_the_rest(self):
        scenario = two_writers(16)
        scenario["traffic"][0]["rate"] = "30Gbps"
        network = Network(scenario)
        rates = shares.by_turns(network).rates()
        self.assertAlmostEqual(gbps(network.flows[0], rates["a"]), 30, delta=0.1)
        self.assertAlmostEqual(gbps(network.flows[1], rates["b"]), 199.86, delta=0.5)

    def test_a_turn_is_a_tlp(self):
        network = Network(two_writers(8, other="512B"))
        rates = shares.by_turns(network).rates()
        self.assertAlmostEqual(gbps(network.flows[1], rates["b"]) / gbps(network.flows[0], rates["a"]), 2, delta=0.01)

    def test_flows_of_one_slot_share_its_turns(self):
        # Two writers behind one switch have one slot at the root complex's port to the third GPU; a read of it has another one.
        scenario = two_writers(16)
        scenario["devices"]["gpu2"] = {"kind": "gpu"}
        scenario["devices"]["gpu3"] = {"kind": "gpu"}
        scenario["links"] += [{"from": "rc", "to": "gpu2", "generation": 4, "width": 8},
                              {"from": "rc", "to": "gpu3", "generation": 4, "width": 16}]
        for entry in scenario["traffic"]:
            entry["to"] = "gpu2"
        scenario["traffic"].append({**scenario["traffic"][0], "name": "c", "from": "gpu3"})
        network = Network(scenario)
        rates = shares.by_turns(network).rates()
        share = [gbps(f, rates[f.name]) for f in network.flows]
        self.assertAlmostEqual(share[0] / share[2], 0.5, delta=0.01)
        self.assertAlmostEqual(share[1] / share[2], 0.5, delta=0.01)
        self.assertAlmostEqual(sum(share), 114.93, delta=0.5)

    def test_shares_by_turns_are_max_min_fair_where_turns_are_equal(self):
        for seed in [n for n in range(1, 120) if generate.kind(n) == "fair"]:
            network = Network(generate.scenario(seed))
            self.assertTrue(shares.equal_turns(network))
            turns, fair = shares.by_turns(network).rates(), shares.water_filling(network)
            for name, rate in turns.items():
                self.assertAlmostEqual(rate / fair[name], 1, delta=0.01, msg=f"seed {seed}: {name}")

    def test_a_round_trip_bounds_what_credits_and_tags_carry(self):
        scenario = two_writers(16)
        scenario["links"][1]["credits"] = {"posted_header": 4}
        network = Network(scenario)
        limits = closed_form.limits(network, network.flows[0])
        # 280 B at 251.4 Gb/s are 8.91 ns: 10 of the wire, 110 of the switch, the tail again, 60 of the UpdateFC
        self.assertAlmostEqual(limits["credits gpu0 up P"], 4 / (10e-9 + 110e-9 + 8.91e-9 + 60e-9) / 16, delta=1e3)


class Planted(unittest.TestCase):
    def judge(self, only, cases, machine="", said="    pass"):
        with tempfile.TemporaryDirectory() as folder:
            stand_in = pathlib.Path(folder) / "peerpath"
            stand_in.write_text(STAND_IN.format(peerpath=str(PEERPATH), machine=machine, said=said))
            stand_in.chmod(0o755)
            command = [sys.executable, "-B", HERE / "capacity_judge", stand_in, "--seed", "1", "--only", only]
            return subprocess.run([*command, "--cases", str(cases), "--tries", "0", "--stop"], capture_output=True, text=True)

    def test_each_flaw_is_found(self):
        for name, (rule, change) in {**MACHINES, **RESULTS}.items():
            with self.subTest(name):
                plant = {"machine": change} if name in MACHINES else {"said": change}
                done = self.judge(rule, 20, **plant)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"seed [0-9]+: {rule}: ")

    def test_nothing_is_found_without_a_flaw(self):
        for rule in ("share", "max_min", "work_conserving", "spreading", "equal", "round_trip"):
            done = self.judge(rule, 3)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
