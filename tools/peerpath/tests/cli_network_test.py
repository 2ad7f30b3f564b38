"""Network scenarios on the command line: run, test, check, show, list, explain, schema; the same seed gives the same bytes.

usage: cli_network_test.py PEERPATH SCENARIOS
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest


def peerpath(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=cwd, check=False)


class Network(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, name, *arguments):
        done = peerpath("run", SCENARIOS / (name + ".json"), "--json", "--out", self.folder / "out", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def metrics(self, name, *arguments):
        return {m["name"]: m["value"] for m in self.results(name, *arguments)["metrics"]}

    def test_same_seed_same_bytes(self):
        def run(*arguments):
            self.results("roce/incast_dcqcn", *arguments)
            return (self.folder / "out" / "results.json").read_bytes()
        self.assertEqual(run(), run())
        self.assertNotEqual(run(), run("--seed", "7"))

    def test_files_and_table(self):
        done = peerpath("run", SCENARIOS / "roce" / "two_nodes_read.json", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("read.goodput_gbps", "Busiest cables", "2 hosts, 1 switches, 2 cables", "ok      read.goodput_gbps"):
            self.assertIn(words, done.stdout)
        results = json.loads((self.folder / "results.json").read_text())
        self.assertEqual(results["name"], "roce/two_nodes_read")
        self.assertEqual(results["scenario"]["nics"]["mtu"], 4096)
        self.assertEqual(results["origins"]["/rdma/0/size"]["from"].split(":")[0], "two_nodes_read.json")
        self.assertEqual(len(results["network"]["cables"]), 4)
        run = json.loads((self.folder / "run.json").read_text())
        self.assertEqual(run["exit"], 0)
        self.assertTrue(run["inputs"][0]["file"].endswith("two_nodes_read.json"))
        self.assertIn("read.goodput_gbps", (self.folder / "report.html").read_text())

    def test_a_capture_is_read_by_tshark(self):
        if shutil.which("tshark") is None:
            self.skipTest("needs tshark")
        self.results("roce/incast_dcqcn", "--set", "run.measure=60us", "--set", "expect=[]", "--trace", "pcapng", "--trace-for", "50us")
        file = self.folder / "out" / "trace.pcapng"
        def rows(*words):
            return subprocess.run(["tshark", "-r", file, *words], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(rows("-Y", "_ws.malformed"), [])
        fields = ("frame.time_epoch", "frame.interface_name", "frame.packet_flags_direction", "ip.src", "ip.dst", "infiniband.bth.opcode",
                  "infiniband.bth.psn")
        frames = [line.split("\t") for line in rows("-T", "fields", *(word for field in fields for word in ("-e", field)))]
        said = json.loads((self.folder / "out" / "run.json").read_text())["traces"]
        self.assertEqual(said, [{"file": "trace.pcapng", "holds": f"{len(frames)} frames"}])
        self.assertEqual({frame[1] for frame in frames}, {"h0-tor", "h8-tor"}, "the others send later")
        sent, received = {}, 0
        for time, interface, direction, *packet in frames:
            self.assertLess(float(time), 50e-6)
            if int(direction, 0) == 2:
                sent[tuple(packet)] = float(time)
                continue
            received += 1
            self.assertGreater(float(time) - sent[tuple(packet)], 2e-6, f"{interface} receives what was sent two cables before")
        self.assertGreater(received, 50)
        write_middle, acknowledgement = 7, 17
        self.assertLessEqual({write_middle, acknowledgement}, {int(frame[5], 0) for frame in frames})

    def test_a_capture_that_is_asked_for_wrongly(self):
        two_nodes = SCENARIOS / "roce" / "two_nodes_write.json"
        for words, said in ((("--trace", "vcd"), "--trace supports pcapng only, not vcd"), (("--trace", "pcapng", "--trace-links", "h9-leaf"), 'did you mean'),
                            (("--trace-links", "h0-leaf"), "--trace-links requires --trace")):
            done = peerpath("run", two_nodes, *words, "--out", self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        done = peerpath("run", two_nodes, "--set", "run.measure=10us", "--trace", "pcapng", "--trace-links", "h0-*", "--out", self.folder, "--quiet")
        self.assertIn("trace.pcapng", [file.name for file in self.folder.iterdir()])

    def test_two_runs_are_compared_and_laid_over_each_other(self):
        for path, out in (("ecmp", "a"), ("pinned", "b")):
            peerpath("run", SCENARIOS / "meta_roce" / f"all_reduce_{path}.json", "--set", "collectives.0.bytes=16MiB", "--set", "expect=[]", "--out",
                     self.folder / out, "--quiet")
        self.assertRegex(peerpath("compare", self.folder / "a", self.folder / "b").stdout, r"all_reduce.time_us +us .* better")
        page = self.folder / "both.html"
        done = peerpath("report", self.folder / "a", "--with", self.folder / "b", "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<th class=\"number\">difference</th>", page.read_text())

    def test_hashing_the_queue_pair_is_worth_a_quarter_at_least_and_pinning_too(self):
        plain, enhanced, pinned = (self.metrics("meta_roce/all_reduce_" + p)["all_reduce.time_us"] for p in ("ecmp", "ecmp_qp", "pinned"))
        self.assertGreater(plain / enhanced, 1.25)
        self.assertGreater(plain / pinned, 1.25)

    def test_a_deadlock_is_named(self):
        results = self.results("roce/pause_deadlock")
        self.assertRegex(results["network"]["said"][0], r"^deadlock: in priority 3, s\d -> s\d waits for s\d -> s\d")
        self.assertEqual(len(results["deadlock"]["cycle"]), 5)
        self.assertEqual(peerpath("run", SCENARIOS / "roce" / "pause_deadlock.json", "--set", "expect=[]", "--out", self.folder,
                                  "--quiet").returncode, 1)

    def test_a_slow_host_is_named_as_the_cause(self):
        self.assertRegex(self.results("meta_roce/slow_gpu")["network"]["said"][0], r"^host h4, which takes in less than the wire brings: its NIC paused its switch \d+")

    def test_failed_expectations_exit_1_and_have_their_place(self):
        changed = ("--set", "expect.0.equals=50")
        self.assertEqual(peerpath("run", SCENARIOS / "roce" / "two_nodes_read.json", *changed, "--out", self.folder).returncode, 1)
        done = peerpath("test", SCENARIOS / "roce" / "two_nodes_read.json", *changed)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"two_nodes_read.json:\d+:\d+: .*read.goodput_gbps is 98")

    def test_a_rate_that_no_hardware_has_is_refused_with_the_unit_that_was_meant(self):
        host = SCENARIOS / "netgpu" / "zero_copy.json"
        for scenario, key in ((SCENARIOS / "roce" / "two_nodes_write.json", "network.cables.0.rate"), (host, "traffic.rx.rate"), (host, "devices.nic0.wire_rate")):
            done = peerpath("check", scenario, "--set", f"{key}=400000Gbps")
            self.assertEqual(done.returncode, 2, key)
            self.assertIn('did you mean "400000Mbps"?', done.stderr, key)
        done = peerpath("check", host, "--set", "devices.gpu0.read_rate=64Tbps")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_check_show_list_explain_schema(self):
        self.assertIn("16 hosts, 6 switches, 24 cables", peerpath("check", SCENARIOS / "roce" / "incast_pfc.json").stdout)
        show = peerpath("show", SCENARIOS / "roce" / "incast_pfc.json", "--resolved", "--set", "run.seed=5").stdout
        self.assertRegex(show, r"/run/seed +5 +--set")
        self.assertRegex(show, r"(?m)^/switches/headroom +\(absent\) +computed from the rate")
        self.assertIn("network.pauses", peerpath("list", "metrics", SCENARIOS / "roce" / "incast_pfc.json").stdout)
        self.assertIn("roce/two_nodes_write", peerpath("list", "scenarios").stdout)
        self.assertIn("collective", peerpath("list", "sections").stdout)
        self.assertIn("switches.path", peerpath("explain", "path").stdout)
        self.assertIn("PFC", peerpath("explain", "network.pauses").stdout)
        schema = json.loads(peerpath("schema").stdout)
        self.assertIn("clos", schema["then"]["properties"]["network"]["properties"])
        self.assertIn("devices", schema["else"]["properties"])
        for kind in ("then", "else"):
            self.assertIn("vary", schema[kind]["properties"]["sweep"]["properties"])

    def test_mistakes(self):
        def said(text, *arguments):
            file = self.folder / "wrong.json"
            file.write_text(text)
            done = peerpath(*(arguments or ("run",)), file)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(done.stdout, "")
            return done.stderr
        self.assertIn('wrong.json:1:14: /network/close: unknown key; did you mean "clos"?', said('{"network": {"close": {}}}'))
        good = (SCENARIOS / "roce" / "two_nodes_read.json").read_text()
        self.assertIn("--profile requires a PCIe scenario", said(good, "run", "--profile"))
        self.assertIn("a network scenario runs on the model only, not on emulator", said(good, "run", "--on", "emulator"))
        self.assertIn("this is a scenario of an Ethernet network", said(good, "emulate"))


if __name__ == "__main__":
    PROGRAM, SCENARIOS = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
