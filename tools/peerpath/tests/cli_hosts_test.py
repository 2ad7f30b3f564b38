#!/usr/bin/env python3
"""The program on scenarios with several sockets and hosts: routes, warnings, and what holds traffic back.

    tools/peerpath/cli_hosts_test.py PEERPATH SCENARIOS
"""

import json
import pathlib
import unittest

from cli_case import Case, SCENARIO, peerpath

HOSTS = pathlib.Path(SCENARIO).parent.parent / "hosts"
SOCKETS = str(HOSTS / "dual_socket_misplaced.json")
MACHINES = str(HOSTS / "two_hosts.json")


def route(*words):
    done = peerpath("route", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def places(way):
    return [hop["at"] for hop in way["hops"]]


class Routes(Case):
    def test_go_up_over_the_link_between_the_sockets_and_down(self):
        found = route(SOCKETS, "nic0", "gpu1")
        self.assertEqual(places(found["request"]),
                         ["nic0", "rc0 port to nic0", "rc0", "rc1-rc0", "rc1", "rc1 port to gpu1", "gpu1"])
        self.assertEqual(places(found["completion"]),
                         ["gpu1", "rc1 port to gpu1", "rc1", "rc1-rc0", "rc0", "rc0 port to nic0", "nic0"])
        self.assertTrue(found["request"]["delivered"] and found["completion"]["delivered"])
        self.assertIn("inter-socket link, 166400Mbps each way", peerpath("route", SOCKETS, "nic0", "gpu1").stdout)

    def test_pass_the_switches_of_both_sockets(self):
        found = route(str(HOSTS / "dgx_a100_misplaced.json"), "nic0", "gpu4")
        self.assertEqual(places(found["request"])[1:-1],
                         ["sw0 port to nic0", "sw0 upstream port", "rc0 port to sw0", "rc0", "rc1-rc0", "rc1",
                          "rc1 port to sw2", "sw2 upstream port", "sw2 port to gpu4"])
        self.assertEqual(found["p2pdma"]["distance"], 8)

    def test_end_at_the_memory_of_the_other_socket_whatever_becomes_of_peers(self):
        found = route(SOCKETS, "nic0", "dram1", "--set", "inter_socket.0.forwards_peers=false")
        self.assertEqual(places(found["request"])[-2:], ["rc1-rc0", "rc1"])
        self.assertTrue(found["request"]["delivered"])
        self.assertNotIn("p2pdma", found)

    def test_pass_a_socket_between(self):
        roots = {f"rc{i}": {"kind": "root_complex"} for i in range(3)}
        found = route(self.scenario(json.dumps({
            "devices": {**roots, "dram": {"kind": "host_memory", "at": "rc0"}, "nic0": {"kind": "nic"}, "gpu1": {"kind": "gpu"}},
            "links": [{"from": "rc0", "to": "nic0"}, {"from": "rc1", "to": "gpu1"}],
            "inter_socket": [{"from": "rc2", "to": "rc0", "rate": "100Gbps"}, {"from": "rc2", "to": "rc1", "rate": "50Gbps"}]})),
            "nic0", "gpu1")
        self.assertEqual(places(found["request"])[2:-2], ["rc0", "rc0-rc2", "rc2", "rc1-rc2", "rc1"])

    def test_stop_where_a_run_refuses(self):
        stays = "--set", "inter_socket.0.forwards_peers=false"
        found = route(SOCKETS, "nic0", "gpu1", *stays)
        self.assertEqual(places(found["request"])[-1], "rc0")
        self.assertEqual(found["request"]["hops"][-1]["action"], "unsupported")
        self.assertTrue(found["completion"]["delivered"], "only requests are refused")
        run = json.loads(peerpath("run", SOCKETS, *stays, "--set", "expect=[]", "--set", "run.measure=50us", "--json",
                                  "--out", str(self.out)).stdout)
        self.assertEqual(run["traffic"][0]["way"], "nic0 -> rc0 -> rc0 unsupported requests")
        # The other root complex has to send it on from port to port.
        last = "--set", "devices.rc1.forwards_peers=false"
        found = route(SOCKETS, "nic0", "gpu1", *last)
        self.assertEqual((places(found["request"])[-1], found["request"]["delivered"]), ("rc1", False))

    def test_name_what_there_is_in_all_sockets(self):
        done = peerpath("route", SOCKETS, "nic0", "gpu0")
        self.assertEqual((done.returncode, done.stderr), (2, "error: 'gpu0' cannot be an end of a route; did you mean 'gpu1'?\n"))

    def test_do_not_leave_a_host(self):
        done = peerpath("route", MACHINES, "n[0].nic0", "n[1].gpu0")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "error: n[0].nic0 and n[1].gpu0 are in different hosts; a PCIe route does not leave its host\n")
        self.assertTrue(route(MACHINES, "n[1].nic0", "n[1].gpu0")["request"]["delivered"])


class Verdicts(Case):
    def test_hold_for_two_host_bridges_that_the_kernel_lists(self):
        self.assertEqual(route(SOCKETS, "nic0", "gpu1")["p2pdma"], {
            "mapping": "THRU_HOST_BRIDGE", "distance": 4,
            "reason": "they are below host bridges of two sockets, rc0 and rc1; the kernel trusts both to forward to each other (host_bridge)"})

    def test_refuse_if_either_is_not_listed_for_others(self):
        for root, listed in (("rc0", "same_bridge_only"), ("rc1", "same_bridge_only"), ("rc0", "unlisted"), ("rc1", "unlisted")):
            verdict = route(SOCKETS, "nic0", "gpu1", "--set", f"devices.{root}.host_bridge={listed}")["p2pdma"]
            self.assertEqual(verdict["mapping"], "NOT_SUPPORTED", (root, listed))
            self.assertIn(f"the kernel does not trust {root} (host_bridge: {listed})", verdict["reason"])


class Check(Case):
    def test_warns_of_peers_that_do_not_cross(self):
        words = "check", SOCKETS, "--set", "expect=[]"
        self.assertEqual(peerpath(*words).stderr, "")
        done = peerpath(*words, "--set", "inter_socket.0.forwards_peers=false")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^warning: .*dual_socket_misplaced.json:\d+:\d+: /traffic/0/to: the writes of rx do not arrive; "
                                      r"rc0: lets no request for a device of another socket cross \(forwards_peers\): Unsupported Request")

    def test_refuses_a_rate_of_what_does_not_cross(self):
        done = peerpath("check", SOCKETS, "--set", "inter_socket.0.forwards_peers=false", "--set", "inter_socket.0.peer_write_rate=10Gbps")
        self.assertEqual(done.returncode, 2)
        self.assertIn("inter_socket.0.peer_write_rate: has no effect: forwards_peers is false", done.stderr)

    def test_refuses_payload_in_another_memory_than_the_rings(self):
        for kind in ("receive", "transmit"):
            done = peerpath("check", SOCKETS, "--set", "traffic.0.to=dram1", "--set", f"traffic.0.kind={kind}")
            self.assertEqual(done.returncode, 2)
            self.assertIn("traffic.0.to: payload in host memory must be in the memory of the rings, dram0", done.stderr)


class Bottlenecks(Case):
    def bottleneck(self, file, *words):
        done = peerpath("run", str(HOSTS / file), "--set", "expect=[]", "--set", "run.measure=200us", *words, "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.partition("Bottleneck\n")[2].splitlines()[0].strip()

    def test_of_misplaced_gpus_is_the_link_between_the_sockets(self):
        self.assertTrue(self.bottleneck("dual_socket_misplaced.json").startswith("link rc1-rc0"))
        self.assertTrue(self.bottleneck("dgx_a100_misplaced.json").startswith("link rc1-rc0"))

    def test_of_misplaced_gpus_behind_wide_links_are_the_uplinks(self):
        wide = self.bottleneck("dgx_a100_misplaced.json", "--set", "inter_socket.0.rate=256Gbps")
        self.assertRegex(wide, r"^link sw\d-rc\d up")

    def test_of_peers_that_cross_at_a_rate_is_their_way(self):
        self.assertIn("link rc0-rc1 peer writes, busy 100 %", self.bottleneck("dual_socket_misplaced.json", "--set", "inter_socket.0.peer_write_rate=50Gbps"))


if __name__ == "__main__":
    unittest.main()
