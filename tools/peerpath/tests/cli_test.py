#!/usr/bin/env python3
"""Tests of the program as its users meet it: exit statuses, suggestions, what goes to which stream.

usage: cli_test.py PEERPATH SCENARIOS
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import unittest

from cli_case import PROGRAM, SCENARIO, Case, peerpath


class Cli(Case):
    def test_run_writes_three_files_and_a_table(self):
        done = self.run_short()
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()), ["report.html", "results.json", "run.json"])
        for part in ("goodput Gb/s", "Links", "Bottleneck", "Path of the payload"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("\033[", done.stdout + done.stderr, "colour without a terminal")

    def test_what_import_makes_of_a_switch_is_a_scenario(self):
        dump = pathlib.Path(self.folder.name) / "lspci.txt"
        express = "\tCapabilities: [90] Express (v2) %s, MSI 00\n\t\tDevCap:\tMaxPayload 512 bytes\n\t\tDevCtl:\tCorrErr-\n" \
                  "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n\t\tDevSta:\tCorrErr-\n\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"
        acs = "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n"
        bridge = "%s PCI bridge: %s\n\tBus: primary=%s, secondary=%s, subordinate=05, sec-latency=0\n"
        dump.write_text("00:00.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse Root Complex\n"
                        + bridge % ("00:01.1", "A", "00", "01") + express % "Root Port (Slot+)"
                        + bridge % ("01:00.0", "B", "01", "02") + express % "Upstream Port"
                        + bridge % ("02:00.0", "C", "02", "03") + express % "Downstream Port (Slot+)" + acs
                        + bridge % ("02:01.0", "C", "02", "04") + express % "Downstream Port (Slot+)" + acs
                        + "03:00.0 Ethernet controller: N\n" + express % "Endpoint"
                        + "04:00.0 3D controller: G\n\tRegion 2: Memory at 1000 (64-bit, prefetchable) [size=128G]\n" + express % "Endpoint")
        done = peerpath("import", str(dump))
        self.assertEqual(done.returncode, 0, done.stderr)
        made = self.scenario(done.stdout)
        traffic = '{"name": "w", "kind": "write", "from": "gpu0", "to": "dram"}'
        checked = peerpath("check", made, "--set", f"traffic=[{traffic}]")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        route = json.loads(peerpath("route", made, "nic0", "gpu0", "--json").stdout)
        self.assertTrue(route["request"]["redirected"])
        self.assertEqual(route["p2pdma"]["mapping"], "THRU_HOST_BRIDGE")

    def trap(self, name, *words):
        file = pathlib.Path(SCENARIO).parent.parent / "traps" / (name + ".json")
        done = peerpath("run", str(file), "--out", str(self.out), *words)
        return done, json.loads((self.out / "results.json").read_text())

    def test_a_deadlock_ends_the_run_with_its_cycle_and_1_unless_expected(self):
        done, results = self.trap("peer_read_deadlock")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done, again = self.trap("peer_read_deadlock", "--set", "expect=[]", "--fabric", "event")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(results["deadlock"], again["deadlock"])
        self.assertIn("cycle: gpu1 receive queue", done.stdout)
        self.assertIn("Bottleneck\n  a deadlock; it holds back in0, in1\n", done.stdout)
        cycle = [results["deadlock"]["blocked"][i] for i in results["deadlock"]["cycle"]]
        self.assertEqual([queue["waits_for"] for queue in cycle],
                         ["room for its completions in gpu1", "completion credits of gpu1 -> sw0",
                          "completion credits of sw0 -> gpu0", "room for its completions in gpu0",
                          "completion credits of gpu0 -> sw0", "completion credits of sw0 -> gpu1"])
        self.assertIn("room for its completions in gpu1", (self.out / "report.html").read_text())

    def test_an_expected_deadlock_is_no_error(self):
        done, results = self.trap("peer_read_deadlock", "--quiet")
        self.assertIsNotNone(results["deadlock"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done, _ = self.trap("peer_read_deadlock", "--quiet", "--set", "expect=[]")
        self.assertEqual((done.returncode, done.stderr), (1, "error: the run ended in a deadlock\n"))

    def test_faults_have_their_record_in_error_reporting(self):
        for name, device, severity, error in (
                ("poisoned_write", "gpu0", "non_fatal", "Poisoned TLP Received Status"),
                ("gpu_off_the_bus", "sw0", "fatal", "Surprise Down Error Status"),
                ("bar_revoked", "gpu0", "non_fatal", "Unsupported Request Error Status"),
                ("iommu_fault", "rc", "non_fatal", "Unsupported Request Error Status"),
                ("port_reset", "sw0", "non_fatal", "Unsupported Request Error Status"),
                ("gpu_hang", "gpu0", "non_fatal", "Completion Timeout Status"),
                ("acs_egress_control", "sw0", "non_fatal", "ACS Violation Status"),
                ("source_validation_on", "sw0", "non_fatal", "ACS Violation Status"),
                ("credit_leak", None, "correctable", "Bad DLLP Status"),
                ("flaky_riser", None, "correctable", "Bad TLP Status")):
            done, results = self.trap(name, "--fabric", "event")
            found = [e for e in results["aer"] if e["error"] == error and device in (None, e["device"])]
            self.assertTrue(found, name + str(results["aer"]))
            self.assertEqual({e["severity"] for e in found}, {severity}, name)
            self.assertIn(error, done.stdout)
            self.assertIn(error, (self.out / "report.html").read_text())
            with_header = severity == "non_fatal"
            self.assertEqual(all(e["header_log"] is not None for e in found), with_header, name)

    def test_events_stand_in_every_report(self):
        done, results = self.trap("x8_degrade")
        said = "the link above nic0 trains to x8 after 5us in recovery"
        self.assertEqual(results["events"], [{"at_ns": 120000, "what": said}])
        self.assertIn(said, done.stdout)
        self.assertIn(said, (self.out / "report.html").read_text())

    def test_the_protocol_is_checked_on_request(self):
        done = self.run_short("--check-protocol")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("No protocol violation on any link", done.stdout)
        checked = (self.out / "results.json").read_text()
        record = json.loads((self.out / "run.json").read_text())
        self.assertEqual(record["protocol"], {"checked": True, "violations": []})
        self.run_short()
        self.assertEqual(checked, (self.out / "results.json").read_text())

    def test_run_counts_the_window_in_its_results(self):
        trap = str(pathlib.Path(SCENARIO).parent.parent / "traps" / "bar1_remap.json")
        done = peerpath("run", trap, "--set", "run.measure=3ms", "--set", "expect=[]", "--out", str(self.out))
        self.assertIn("gpu0 BAR1", done.stdout)
        window = json.loads((self.out / "results.json").read_text())["bar1"][0]
        self.assertEqual(window["registrations"][0]["verdict"], "remapped")
        self.assertEqual(window["used_bytes"], window["size_bytes"])
        self.assertGreater(window["remaps"], 0)
        self.assertEqual(window["waiting_ns"], window["remaps"] * 276000)
        self.assertIn("remapped piece by piece", (self.out / "report.html").read_text())

    def test_quiet_says_nothing_but_what_is_wrong(self):
        good = self.run_short("--set", "expect=[]", "--quiet")
        self.assertEqual((good.returncode, good.stdout, good.stderr), (0, "", ""))
        self.assertTrue((self.out / "results.json").exists())
        bad = self.run_short("--set", 'expect=[{"metric": "rx.goodput_gbps", "at_least": 900}]', "--quiet")
        self.assertEqual((bad.returncode, bad.stdout), (1, ""))
        self.assertIn("expectation failed: rx.goodput_gbps is ", bad.stderr)

    def test_json_is_one_document_and_equals_the_file(self):
        done = self.run_short("--json", "--quiet")
        document = json.loads(done.stdout)
        self.assertTrue(document["complete"])
        self.assertEqual(done.stdout, (self.out / "results.json").read_text())
        self.assertEqual(done.stderr, "")

    def test_results_hold_nothing_of_host_path_or_speed(self):
        self.run_short("--quantum", "100ns")
        first = (self.out / "results.json").read_text()
        for word in (os.uname().nodename, self.folder.name, os.getcwd(), str(pathlib.Path(SCENARIO).parent), "quantum",
                     "wall", "compiler"):
            self.assertNotRegex(first, r"(?<!\w)" + re.escape(word) + r"(?!\w)")
        self.run_short("--quantum", "10us", "--fabric", "event")
        self.assertEqual(first, (self.out / "results.json").read_text())
        record = json.loads((self.out / "run.json").read_text())
        self.assertEqual((record["quantum"], record["fabric"]), ("10us", "event"))

    def test_reads_hold_their_tags_as_long_in_both_fabrics(self):
        scenario = self.scenario(json.dumps({
            "devices": {"rc": {"kind": "root_complex"}, "dram": {"kind": "host_memory"}, "card": {"kind": "dma_card"}},
            "links": [{"from": "rc", "to": "card", "generation": 4, "width": 8}],
            "traffic": [{"name": "r", "kind": "read", "from": "card", "to": "dram", "sizes": "512B"}],
            "run": {"warmup": "5us", "measure": "20us"}}))
        event, train = (peerpath("run", scenario, "--fabric", mode, "--json", "--quiet", "--out", str(self.out)).stdout
                        for mode in ("event", "train"))
        self.assertIn("card tags", event)
        self.assertEqual(event, train)

    def test_the_record_has_digests_of_all_that_was_read(self):
        scenarios = pathlib.Path(SCENARIO).parent.parent
        folder = pathlib.Path(self.folder.name)
        (folder / "frames.pcap").write_bytes((scenarios / "captures" / "mixed_sizes.pcap").read_bytes())
        (folder / "unused.json").write_text("{}")
        (folder / "mine.json").write_text(json.dumps({"extends": str(scenarios / "netgpu" / "zero_copy.json"), "expect": []}))
        replay = {"name": "rx", "kind": "receive", "from": "nic0", "to": "gpu0", "capture": "frames.pcap"}
        done = peerpath("run", str(folder / "mine.json"), "--set", "run.measure=20us", "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        record = json.loads((self.out / "run.json").read_text())
        self.assertIn("peerpath", record)
        read = {entry["file"]: entry["sha256"] for entry in record["inputs"]}
        wanted = [folder / "mine.json", scenarios / "netgpu" / "zero_copy.json"]
        wanted += [scenarios / "hardware" / f"{name}.json" for name in ("epyc_9004_host", "gen5_switch", "nic_200g", "h200")]
        self.assertEqual(read, {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in wanted})
        (folder / "mine.json").write_text(json.dumps({"extends": str(SCENARIO), "expect": [], "traffic": [replay]}))
        peerpath("run", str(folder / "mine.json"), "--set", "run.measure=20us", "--out", str(self.out))
        record = json.loads((self.out / "run.json").read_text())
        self.assertEqual(record["inputs"][-1], {"file": str(folder / "frames.pcap"),
                                                "sha256": hashlib.sha256((folder / "frames.pcap").read_bytes()).hexdigest()})

    def test_presets_go_by_name(self):
        def devices(gpu):
            return self.scenario(json.dumps({
                "extends": "epyc_9004_host", "devices": {"nic0": {"extends": "nic_200g"}, "gpu0": {"extends": gpu}},
                "links": [{"from": "rc", "to": "nic0"}, {"from": "rc", "to": "gpu0"}],
                "traffic": [{"kind": "receive", "from": "nic0", "to": "gpu0", "rate": "1Gbps"}]}))
        done = peerpath("check", devices("h200"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for wrong, right in (("h20", "h200"), ("hardware/h20.json", "hardware/h200.json")):
            done = peerpath("check", devices(wrong))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'; did you mean "{right}"?', done.stderr)
        listed = peerpath("list", "presets").stdout
        self.assertRegex(listed, r"(?m)^h200 +NVIDIA H200 SXM: 141 GB")
        self.assertRegex(listed, r"(?m)^epyc_9004_host +A one-socket host of the EPYC 9004 class")

    def test_dumps_of_machines_become_scenarios_to_extend(self):
        dumps = pathlib.Path(SCENARIO).parent.parent.parent / "validation" / "import" / "testdata"
        for dump, words in (("two_sockets.xml", r"rc1-rc0 +inter-socket link"), ("dgx_a100.topo", r"rc port to switch1"), ("altra.lspci", None)):
            done = peerpath("import", str(dumps / dump), "-o", str(pathlib.Path(self.folder.name) / "machine.json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("note: ", done.stderr)
            if words is None:
                continue
            traffic = [{"kind": "write", "from": "gpu0", "to": "gpu3", "rate": "1Gbps", "sizes": "4KiB"}]
            mine = self.scenario(json.dumps({"extends": "machine.json", "traffic": traffic, "run": {"warmup": "1us", "measure": "5us"}}))
            ran = peerpath("run", mine, "--json", "--out", str(self.out))
            self.assertIn(ran.returncode, (0, 1), ran.stderr)
            self.assertRegex(peerpath("route", mine, "gpu0", "gpu3").stdout, words)
        broken = self.scenario((dumps / "two_sockets.xml").read_text().replace("</cpu>", "", 1))
        done = peerpath("import", broken)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{broken}:", done.stderr)
        self.assertRegex(done.stderr, r":36:1: no well-formed XML: Start-end tags mismatch")

    def test_failed_expectation_is_1(self):
        done = self.run_short("--set", 'expect=[{"metric":"run.simulated_ns","equals":1}]')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED", done.stdout)

    def test_wrong_input_is_2_with_a_suggestion(self):
        for words, near in (
            (("rnu", SCENARIO), "did you mean 'run'?"),
            (("run", SCENARIO, "--sede", "1"), "did you mean '--seed'?"),
            (("run", SCENARIO, "--on", "modle"), "did you mean 'model'?"),
            (("run", SCENARIO, "--fabric", "trian"), "did you mean 'train'?"),
            (("run", "netgpu/zero_cpy"), 'did you mean "netgpu/zero_copy"?'),
            (("explain", "nic.queus"), "did you mean 'nic.queues'?"),
            (("list", "devics"), "did you mean 'devices'?"),
            (("completion", "bsh"), "did you mean 'bash'?"),
        ):
            done = peerpath(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(near, done.stderr, words)
            self.assertEqual(done.stdout, "", words)

    def test_problems_are_all_named_with_their_places(self):
        done = peerpath("check", self.scenario('{\n "devices": {"n": {"kind": "nick"}},\n "lnks": []\n}\n'))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"wrong\.json:2:\d+: ")
        self.assertRegex(done.stderr, r"wrong\.json:3:\d+: ")
        self.assertEqual(done.stdout, "")

    def test_check_says_ok_on_standard_output(self):
        done = peerpath("check", SCENARIO)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ok", done.stdout)

    def test_other_backends_are_waived(self):
        for backend in ("emulator", "hardware"):
            done = peerpath("run", SCENARIO, "--on", backend, env={**os.environ, "PEERPATH_EMULATOR": "/nowhere"})
            self.assertEqual(done.returncode, 3)
            self.assertIn("waived", done.stderr)

    def test_hardware_says_what_is_missing_and_what_would_run(self):
        done = peerpath("run", SCENARIO, "--on", "hardware")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"waived: nic0: no network interface of 200 Gb/s|waived: the equipment is here")
        self.assertIn("would run: rx (receive, nic0 to gpu0, zero_copy, 200 Gb/s)", done.stderr)

    def test_what_is_waived_is_a_document_too(self):
        for backend, would_run in (("hardware", ["rx (receive, nic0 to gpu0, zero_copy, 200 Gb/s)"]), ("emulator", [])):
            done = peerpath("run", SCENARIO, "--on", backend, "--json",
                            env={**os.environ, "PEERPATH_EMULATOR": "/nowhere"})
            self.assertEqual(done.returncode, 3)
            document = json.loads(done.stdout)
            self.assertEqual(document["would_run"], would_run)
            self.assertTrue(document["waived"])
            for reason in document["waived"]:
                self.assertIn(f"waived: {reason}\n", done.stderr)

    def test_what_standard_output_did_not_take_is_no_success(self):
        # One line, which only the last flush writes, and a document that is written before it.
        for words in (["--version"], ["schema"], ["run", SCENARIO, "--json", "--out", str(self.out)]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn("error: standard output could not be written completely", result.stderr)

    def test_documents_are_json(self):
        for words in (("doctor", "--json"), ("schema",), ("list", "scenarios", "--json"), ("show", SCENARIO),
                      ("show", SCENARIO, "--resolved", "--json"), ("check", SCENARIO, "--json")):
            done = peerpath(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            json.loads(done.stdout)

    def test_show_names_absent_options_and_their_meaning(self):
        text = peerpath("show", SCENARIO, "--resolved").stdout
        self.assertRegex(text, r"(?m)^/devices/rc/iommu +\(absent\) +IOMMU off$")
        self.assertRegex(text, r"(?m)^/devices/rc/peer_to_peer +\(absent\) +unlimited$")
        document = json.loads(peerpath("show", SCENARIO, "--resolved", "--json").stdout)
        self.assertEqual(document["absent"]["/devices/rc/credits"], "unlimited")
        self.assertNotIn("credits", document["scenario"]["devices"]["rc"])

    def test_completion_scripts_parse(self):
        for shell in ("bash", "zsh", "fish"):
            script = peerpath("completion", shell)
            self.assertEqual(script.returncode, 0)
            if shell == "bash":
                subprocess.run(["bash", "-n"], input=script.stdout, text=True, check=True)

    def test_a_graph_has_a_node_for_each_device_and_an_edge_for_each_link(self):
        shown = json.loads(peerpath("show", SCENARIO, "--json").stdout)
        graph = peerpath("show", SCENARIO, "--dot").stdout
        self.assertEqual(graph.count("\\n"), len(shown["devices"]))
        self.assertEqual(graph.count(" -- "), len(shown["links"]))
        self.assertIn('"sw0" -- "gpu0" [label="Gen5 x16"];', graph)

    def test_beside_json_there_is_a_page_only_if_it_is_asked_for(self):
        self.run_short("--json")
        self.assertFalse((self.out / "report.html").exists())
        self.run_short("--json", "--report")
        self.assertTrue((self.out / "report.html").exists())

    def test_two_runs_lie_over_each_other_in_a_report(self):
        self.run_short()
        slower = pathlib.Path(self.folder.name) / "slower"
        peerpath("run", SCENARIO, "--set", "run.measure=20us", "--set", "traffic.rx.rate=100Gbps", "--set", "expect=null", "--out",
                 str(slower))
        page = pathlib.Path(self.folder.name) / "both.html"
        done = peerpath("report", str(self.out), "--with", str(slower), "-o", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('id="overlay"', page.read_text())
        # 20 us each: 200 Gb/s, then 100. Both tables take the first run as the base.
        goodput = re.search(r"goodput, Gb/s</td>.*?<td[^>]*>([-+][0-9.]+) %", page.read_text(), re.DOTALL)
        self.assertAlmostEqual(float(goodput[1]), -50, delta=2)
        compared = peerpath("compare", str(self.out), str(slower)).stdout
        self.assertAlmostEqual(float(re.search(r"^rx.goodput_gbps .* ([-+][0-9.]+) %", compared, re.MULTILINE)[1]), -50, delta=2)
        self.assertEqual(peerpath("report", str(self.out), "--with", self.folder.name).returncode, 2)

    def test_report_can_be_written_again(self):
        self.run_short()
        page = pathlib.Path(self.folder.name) / "r.html"
        done = peerpath("report", str(self.out), "-o", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(page.read_text(), (self.out / "report.html").read_text())
        self.assertEqual(peerpath("report", self.folder.name).returncode, 2)

    def test_a_report_of_what_is_no_result_is_refused(self):
        self.out.mkdir()
        for text in ("[]", "{}", "{\"schema_version\": 1"):
            (self.out / "results.json").write_text(text)
            done = peerpath("report", str(self.out))
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("results.json: is not what `peerpath run` writes", done.stderr)

    def test_rates_whose_times_cannot_be_counted_are_refused(self):
        bounce = str(pathlib.Path(SCENARIO).parent / "bounce.json")
        for rate in ("1bps", "3bps", "5bps", "7bps"):
            for words in (("check", bounce), ("run", bounce, "--out", str(self.out))):
                done = peerpath(*words, "--set", f"devices.cpu.copy_rate={rate}")
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(f"devices.cpu.copy_rate: {rate} is below the minimum, 1Mbps", done.stderr)
        done = peerpath("run", bounce, "--set", "devices.cpu.copy_rate=1Mbps", "--set", "expect=[]", "--json", "--out",
                        str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        metrics = {m["name"]: m["value"] for m in json.loads(done.stdout)["metrics"]}
        self.assertEqual(metrics["rx.goodput_gbps"], 0)
        self.assertLessEqual(metrics["cpu.utilisation_percent"], 100)

    def test_check_warns_of_traffic_that_has_no_route(self):
        trap = str(pathlib.Path(SCENARIO).parent.parent / "traps" / "acs_redirect_off.json")
        words = ("check", trap, "--set", 'devices.sw0.acs=["RR"]', "--set", "expect=[]")
        done = peerpath(*words, "--set", 'devices.rc.acs=["none"]', "--set", "devices.rc.forwards_peers=true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^warning: .*acs_redirect_off.json:\d+:\d+: /traffic/0/to: the read requests of copy "
                                      r"do not arrive; rc port to sw0: without UF it accepts no request for a device below: Unsupported Request")
        document = json.loads(peerpath(*words, "--json").stdout)
        self.assertEqual(document["problems"], [])
        self.assertEqual([w["key"] for w in document["warnings"]], ["/traffic/0/to"])
        done = peerpath(*words, "--set", 'devices.rc.acs=["UF"]', "--set", "devices.rc.forwards_peers=true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
