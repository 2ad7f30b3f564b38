#!/usr/bin/env python3
"""What judges runs of random scenarios is judged here: flaws planted between it and peerpath are found, and made small.

usage: random_scenarios_test.py PEERPATH
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PEERPATH = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

# Stands for peerpath, and changes what it says.
STAND_IN = """#!/usr/bin/env python3
import json, subprocess, sys
done = subprocess.run([{peerpath!r}, *sys.argv[1:]], capture_output=True, text=True)
out, status = done.stdout, done.returncode
scenario = json.load(open("scenario.json"))
if sys.argv[1] == "run" and status in (0, 1):
    results = json.loads(out)
    metrics = {{m["name"]: m for m in results["metrics"]}}
{flaw}
    out = json.dumps(results)
sys.stdout.write(out)
sys.stderr.write(done.stderr)
sys.exit(status)
"""

FLAWS = {
    "bytes_are_conserved": 'results["conservation"] = {"holds": False, "violations": ["a byte"]}',
    "numbers_have_a_range": 'results["utilisation"][0]["percent"] = 100.1',
    "nothing_comes_from_nothing": 'metrics[results["traffic"][0]["name"] + ".delivered_packets"]["value"] += 10**6',
    "what_arrives_was_offered_or_stood_in_queues":
        'metrics[results["traffic"][0]["name"] + ".payload_bytes"]["value"] += 10**9',
    "rates_are_bytes_over_time": 'metrics[results["traffic"][0]["name"] + ".payload_bytes"]["value"] += 1000',
    "ledger_and_metrics_agree": 'metrics["dram-rc.up.tlps"]["value"] += 1',
    "ends_well": 'status = 70 if "gpu" in json.dumps(scenario) else status',
    "stages_sum_to_the_latency": '[s.update(sum_fs=s["sum_fs"] + 10**9) for t in results["traffic"] for s in t.get("stages", [])]',
    "the_sentence_agrees_with_the_tables": 'results["bottleneck"] = "another thing"',
    "bytes_of_entries_add_up": 'metrics[results["traffic"][0]["name"] + ".queued_at_end_bytes"]["value"] += 10**6',
    "bytes_go_with_their_packets": '[metrics[t["name"] + ".payload_bytes"].update(value=0) for t in results["traffic"]]',
    "goodput_is_within_the_links": '[metrics[t["name"] + ".payload_bytes"].update(value=10**9) for t in results["traffic"]]',
    "sentences_have_percentages": 'results["bottleneck"] += "; busiest: link a-b up, 100.4 %"',
    "an_arrival_rate_limits_what_arrives":
        '[(t.update(limit="the arrival rate"), metrics[t["name"] + ".payload_bytes"].update(value=0), '
        'metrics[t["name"] + ".dropped_packets"].update(value=1)) for t in results["traffic"]]',
    "events_come_to_pass": 'results.get("events", [None]).pop()',
    "quantum": 'metrics["dram-rc.up.tlps"]["value"] += scenario["run"].get("quantum") is not None',
    "reference": 'metrics["dram-rc.up.tlps"]["value"] += "event" in sys.argv',
    "windows_add_up": 'metrics["dram-rc.up.tlps"]["value"] += 1',
    "renamed": 'metrics["run.blocked_queues"]["value"] += "rc" not in scenario["devices"]',
}


class Planted(unittest.TestCase):
    def judge(self, flaw, only, *options):
        with tempfile.TemporaryDirectory() as folder:
            stand_in = pathlib.Path(folder) / "peerpath"
            stand_in.write_text(STAND_IN.format(peerpath=str(PEERPATH), flaw="    " + flaw))
            stand_in.chmod(0o755)
            command = [sys.executable, "-B", HERE / "random_scenarios", stand_in, "--seed", "1", "--only", only]
            return subprocess.run([*command, *options], capture_output=True, text=True)

    def test_each_flaw_is_found(self):
        for only, flaw in FLAWS.items():
            with self.subTest(only):
                # Not all of the first have a NIC, or no warm-up.
                cases = "10" if only in ("stages_sum_to_the_latency", "bytes_go_with_their_packets") else "2"
                done = self.judge(flaw, only, "--cases", cases, "--tries", "1")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, rf"seed [0-9]+: {only}: ")

    def test_nothing_is_found_without_a_flaw(self):
        done = self.judge("pass", "ledger_and_metrics_agree", "--cases", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_failing_scenario_is_made_small(self):
        done = self.judge(FLAWS["bytes_are_conserved"], "bytes_are_conserved", "--cases", "1", "--tries", "60")
        small = re.search(r'"devices": (.*), "links"', done.stdout)[1]
        self.assertLessEqual(small.count('"kind"'), 5, done.stdout)


if __name__ == "__main__":
    unittest.main()
