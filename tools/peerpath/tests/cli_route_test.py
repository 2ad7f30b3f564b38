#!/usr/bin/env python3
"""Tests of `peerpath route` as its users meet it: what redirects, what Linux decides, what is full.

usage: cli_route_test.py PEERPATH SCENARIOS
"""

import json
import pathlib
import unittest

from cli_case import SCENARIO, Case, peerpath


class Route(Case):
    def test_route_says_what_redirects_and_what_linux_decides(self):
        traps = pathlib.Path(SCENARIO).parent.parent / "traps"
        done = peerpath("route", str(traps / "acs_redirect.json"), "gpu0", "gpu1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("RR: redirected up", done.stdout)
        self.assertIn("NOT_SUPPORTED, distance 8", done.stdout)
        document = json.loads(peerpath("route", str(traps / "acs_redirect_off.json"), "gpu0", "gpu1", "--json").stdout)
        self.assertEqual(document["p2pdma"]["mapping"], "BUS_ADDR")
        self.assertEqual(document["p2pdma"]["distance"], 8)
        self.assertFalse(document["request"]["redirected"])
        through = json.loads(peerpath("route", str(traps / "acs_through_host.json"), "nic0", "gpu0", "--json").stdout)
        self.assertEqual(through["p2pdma"]["mapping"], "THRU_HOST_BRIDGE")
        self.assertIn("rc", [hop["at"] for hop in through["request"]["hops"]])
        # Redirected, but not what is translated already (DT).
        direct = json.loads(peerpath("route", str(traps / "acs_through_host.json"), "nic0", "gpu0", "--json", "--set", "devices.rc.iommu={}",
                                     "--set", "devices.nic0.ats={}", "--set", 'devices.sw0.acs=["RR","DT"]').stdout)
        self.assertTrue(direct["request"]["redirected"])
        self.assertFalse(direct["translated_request"]["redirected"])
        self.assertNotIn("translated_request", through)
        # The switch's controls go at 120 us; before that both ways lead through the root complex.
        flip = peerpath("route", str(traps / "acs_flip.json"), "gpu0", "gpu1")
        self.assertRegex(flip.stdout, "at 120us, ACS of sw0: none: Requests of gpu0 to gpu1 go straight; Completions of gpu1 to gpu0 go straight")
        flips = json.loads(peerpath("route", str(traps / "acs_flip.json"), "gpu0", "gpu1", "--json").stdout)
        self.assertTrue(flips["request"]["redirected"])
        self.assertEqual([(c["at"], c["request"]["redirected"]) for c in flips["changes"]], [("120us", False)])
        self.assertNotIn("changes", through)
        to_host = peerpath("route", str(traps / "acs_flip.json"), "gpu0", "dram")
        self.assertNotIn("Changes", to_host.stdout, "the event changes nothing of this route")
        # An ID that nobody has is stopped by the first port that looks.
        blocked = peerpath("route", str(traps / "source_validation_on.json"), "nic0", "gpu0")
        self.assertRegex(blocked.stdout, r"Requests of nic0 to gpu0 with a requester ID that nobody has\n(.*\n)*.*SV +SV: blocked, ACS violation")
        spoofed = json.loads(peerpath("route", str(traps / "source_validation_on.json"), "nic0", "gpu0", "--json").stdout)
        self.assertEqual((spoofed["request"]["delivered"], spoofed["spoofed_request"]["delivered"]), (True, False))
        passing = peerpath("route", str(traps / "source_validation_off.json"), "nic0", "dram", "--set", "devices.rc.iommu={}")
        self.assertIn("the IOMMU of rc knows no such requester ID: Unsupported Request", passing.stdout)
        self.assertNotIn("spoofed_request", through)
        wrong = peerpath("route", SCENARIO, "nic0", "gpu9")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'gpu0'?", wrong.stderr)

    def route_between(self, first, second, *words):
        """nic0 and gpu0 at root ports of these host bridges."""
        file = self.scenario(json.dumps({
            "devices": {"rc": {"kind": "root_complex"}, "dram": {"kind": "host_memory", "at": "rc"},
                        "nic0": {"kind": "nic"}, "gpu0": {"kind": "gpu"}},
            "links": [{"from": "rc", "to": "nic0", "host_bridge": first}, {"from": "rc", "to": "gpu0", "host_bridge": second}]}))
        done = peerpath("route", file, "nic0", "gpu0", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.partition("Linux p2pdma\n")[2].splitlines()[0].strip()

    def test_route_asks_the_host_bridges_of_both_ports(self):
        trust = "--set", "devices.rc.host_bridge=same_bridge_only"
        self.assertEqual(self.route_between(0, 0), "THRU_HOST_BRIDGE, distance 4: no bridge below the root complex is common to both; "
                                                   "the kernel trusts rc to forward between its ports (host_bridge)")
        self.assertIn("THRU_HOST_BRIDGE", self.route_between(1, 1, *trust))
        self.assertEqual(self.route_between(1, 0, *trust), "NOT_SUPPORTED, distance 4: they are below host bridges 0 and 1; "
                                                           "the kernel does not trust rc to forward between host bridges (host_bridge)")
        self.assertIn("THRU_HOST_BRIDGE", self.route_between(1, 0))
        # Between root ports nobody asks for ACS.
        acs = self.route_between(0, 0, "--set", 'devices.rc.acs=["RR","CR"]')
        self.assertIn("no bridge below the root complex is common to both", acs)
        self.assertNotIn("ACS", acs)

    def test_route_has_acs_events_at_the_start_in_force_and_says_what_later_ones_do_to_the_verdict(self):
        trap = str(pathlib.Path(SCENARIO).parent.parent / "traps" / "acs_flip.json")
        event = '[{"at":"%s","kind":"acs","device":"sw0","acs":"none"}]'
        words = "route", trap, "gpu0", "gpu1", "--json", "--set", "devices.sw0.acs=[\"RR\"]", "--set"
        at_once = json.loads(peerpath(*words, "events=" + event % "0ns").stdout)
        self.assertFalse(at_once["request"]["redirected"])
        self.assertEqual(at_once["p2pdma"]["mapping"], "BUS_ADDR")
        self.assertNotIn("changes", at_once)
        later = json.loads(peerpath(*words, "events=" + event % "1us").stdout)
        self.assertEqual(later["p2pdma"]["mapping"], "THRU_HOST_BRIDGE")
        self.assertEqual([change["p2pdma"]["mapping"] for change in later["changes"]], ["BUS_ADDR"])

    def test_route_knows_that_completions_with_relaxed_ordering_are_not_redirected(self):
        trap = str(pathlib.Path(SCENARIO).parent.parent / "traps" / "acs_through_host.json")
        words = "route", trap, "nic0", "gpu0", "--json"
        self.assertTrue(json.loads(peerpath(*words).stdout)["completion"]["redirected"])
        relaxed = json.loads(peerpath(*words, "--set", "devices.nic0.function.relaxed_ordering=true").stdout)
        self.assertFalse(relaxed["completion"]["redirected"])

    def test_route_names_the_window_that_is_full(self):
        trap = str(pathlib.Path(SCENARIO).parent.parent / "traps" / "bar1_full.json")
        done = peerpath("route", trap, "nic0", "gpu0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("BAR1 of gpu0\n  32MiB of 256MiB used, 32MiB of them by its driver\n", done.stdout)
        self.assertIn("rx: 512MiB registered do not fit the window's 256MiB: bounced", done.stdout)
        large = peerpath("route", trap, "nic0", "gpu0", "--json", "--set", "devices.gpu0.bar_size=1GiB")
        window = json.loads(large.stdout)["bar1"]
        self.assertEqual([r["verdict"] for r in window["registrations"]], ["mapped"])
        self.assertEqual(window["used_bytes"], (512 + 32) << 20)


if __name__ == "__main__":
    unittest.main()
