#!/usr/bin/env python3
"""Tests of `peerpath validate --all`: every published case within its tolerance stays so.

usage: validate_all_test.py PEERPATH
"""

import json
import subprocess
import sys
import unittest

PROGRAM = ""


def peerpath(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


class ValidateAll(unittest.TestCase):
    def test_holds_the_published_cases(self):
        done = peerpath("validate", "--all", "--json", "--quiet")
        document = json.loads(done.stdout)
        within = {case["id"] for case in document["cases"] if case["passed"]}
        known = set("PB-01 PB-02 PB-06 PB-07 PB-08 PB-11 PB-12 PB-13 PB-15 AM-01 AM-02 AM-03 AM-04 AM-05 HI-01 HI-09 "
                    "CC-01 CC-04 CC-05 NIC-01 NIC-02 NIC-04 P2P-05 P2P-07 P2P-08 DM-02 PR-02 GM-11 HI-03 LIT-01 LIT-02 LIT-03 LIT-04 LIT-05 LIT-06 LIT-07 LIT-08".split())
        self.assertLessEqual(known, within, "these were within tolerance")
        self.assertTrue(document["h200"]["passed"])
        self.assertTrue(all(machine["contention"]["passed"] for machine in document["h200_several"]))
        everything = document["pcie_bench_criteria_passed"] and len(within) == len(document["cases"])
        self.assertEqual(done.returncode, 0 if everything else 1)
        for case in document["cases"]:
            self.assertLessEqual(case["tolerance"], 0.15)
            self.assertTrue(case["parameters"] and case["source"] and case["evidence"], case["id"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
