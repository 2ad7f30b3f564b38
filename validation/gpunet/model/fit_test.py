#!/usr/bin/env python3
"""fit.py finds the values from which points were made, and leaves what is not fitted out of it."""
import math
import unittest

import fit

PRESET = {"sweep": "100ps", "unix": {"send": "1000ps", "send_rate": "50000Mbps"}}


class Machine(fit.Judge):
    """One on which a message of n units takes send + n / send_rate; its send is 1500ps and its rate 40000Mbps."""

    def __init__(self):
        self.measured = {n: [self.time(1500, 40000, n)] for n in (1, 10, 100, 1000)}
        self.measured[10].append(self.measured[10][0] + 3)  # a measurement that went wrong

    @staticmethod
    def time(send, rate, n):
        return math.log(send + n * 4e6 / rate)

    def play(self, preset, key=""):
        send = float(preset["unix"]["send"].removesuffix("ps"))
        rate = float(preset["unix"]["send_rate"].removesuffix("Mbps"))
        return {n: self.time(send, rate, n) for n in self.measured}


class Fit(unittest.TestCase):
    def test_the_search_comes_near_the_best_values_and_keeps_units(self):
        found = fit.search(Machine(), PRESET, ["sweep", "unix.send", "unix.send_rate"], 5, 1.25)
        self.assertAlmostEqual(float(found["unix"]["send"].removesuffix("ps")) / 1500, 1, delta=0.06)
        self.assertAlmostEqual(float(found["unix"]["send_rate"].removesuffix("Mbps")) / 40000, 1, delta=0.06)
        self.assertEqual(found["sweep"], "100ps")
        self.assertEqual(PRESET["unix"]["send"], "1000ps")

    def test_every_key_is_one_of_the_shipped_preset(self):
        preset = fit.read_preset(fit.START)
        for key in fit.KEYS:
            self.assertNotEqual(fit.scaled(preset, {key: 2}), preset, key)


if __name__ == "__main__":
    unittest.main()
