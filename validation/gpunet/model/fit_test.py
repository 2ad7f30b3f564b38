#!/usr/bin/env python3
"""fit.py finds the values from which points were made, and leaves what is not fitted out of it."""
import unittest

import fit

PRESET = {"sweep": "100ps", "unix": {"send": "1000ps", "send_rate": "50000Mbps"}}


def judge(preset):
    """A machine whose best send is 1500ps and whose best rate is 40000Mbps."""
    send = float(preset["unix"]["send"].removesuffix("ps")) / 1500
    rate = float(preset["unix"]["send_rate"].removesuffix("Mbps")) / 40000
    return max(send, 1 / send) + max(rate, 1 / rate), 0.0


class Fit(unittest.TestCase):
    def test_the_search_comes_near_the_best_values_and_keeps_units(self):
        found = fit.search(judge, PRESET, ["sweep", "unix.send", "unix.send_rate"], 3, 1.25)
        self.assertAlmostEqual(float(found["unix"]["send"].removesuffix("ps")) / 1500, 1, delta=0.06)
        self.assertAlmostEqual(float(found["unix"]["send_rate"].removesuffix("Mbps")) / 40000, 1, delta=0.06)
        self.assertEqual(found["sweep"], "100ps")
        self.assertEqual(PRESET["unix"]["send"], "1000ps")

    def test_every_key_is_one_of_the_shipped_preset(self):
        preset = fit.read_preset(fit.START)
        for key in fit.KEYS:
            self.assertNotEqual(fit.scaled(preset, key, 2), preset, key)


if __name__ == "__main__":
    unittest.main()
