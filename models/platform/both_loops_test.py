"""Every shipped scenario of PCIe gives the same results.json on SystemC's event queue as on the plain loop.

usage: both_loops_test.py PEERPATH SCENARIOS
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest


class BothLoops(unittest.TestCase):
    def results(self, scenario, loop):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PROGRAM, "run", scenario, "--loop", loop, "--quiet", "--out", folder],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 3:
                self.skipTest(done.stderr)
            self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: an expectation, which other tests look at
            return (pathlib.Path(folder) / "results.json").read_bytes()

    def test_all_scenarios(self):
        scenarios = [path for path in sorted(SCENARIOS.rglob("*.json"))
                     if path.relative_to(SCENARIOS).parts[0] not in ("hardware", "invalid", "meta_roce", "roce", "tcp")]
        self.assertGreater(len(scenarios), 50)
        for scenario in scenarios:
            with self.subTest(scenario=str(scenario.relative_to(SCENARIOS))):
                plain = self.results(scenario, "plain")
                self.assertRegex(plain, rb'"tlps": [1-9]')
                self.assertEqual(self.results(scenario, "systemc"), plain)


if __name__ == "__main__":
    PROGRAM, SCENARIOS = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
