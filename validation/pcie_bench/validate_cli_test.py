#!/usr/bin/env python3
"""Tests of `peerpath validate pcie-bench` and `peerpath import` as their users meet them.

usage: validate_cli_test.py PEERPATH SOURCE [--all]
  --all  the documented result of every host rather than of one: the windows of a host take half a minute of a processor
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SOURCE = pathlib.Path()
DOCUMENTED = ("--host", "t620")
SWEEP, DMA_LATENCY, COMMAND_LATENCY = "bw_dma_sz_sweep.csv", "lat_dma_sizes.csv", "lat_cmd_sizes.csv"
USED = (SWEEP, DMA_LATENCY, COMMAND_LATENCY, "sys-lspci.txt", "sys-kernel-cmdline.txt")

# and what may be there besides: the tail of cold reads, and a window that the card was fitted on
COPIED = (*USED, "lat_dma_sweep_rd_rnd_64.csv", "bw_dma_win_sweep_rd_rnd_64.csv")


def peerpath(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600)


def hosts():
    return sorted(p for p in (SOURCE / "validation/data/pcie-bench").iterdir() if p.is_dir())


@functools.cache
def first_host():
    """What is said of the first host's directory with the files of `COPIED` alone; several tests start from it."""
    with tempfile.TemporaryDirectory() as folder:
        host = pathlib.Path(folder) / "lab7"
        host.mkdir()
        for name in COPIED:
            shutil.copy(hosts()[0] / name, host)
        return peerpath("validate", "pcie-bench", "--data", host, "--quiet", "--json")


class WithHost(unittest.TestCase):
    """A copy of one host's directory under a name that nothing knows."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.host = pathlib.Path(self.folder.name) / "lab7"
        self.host.mkdir()
        for name in COPIED:
            shutil.copy(hosts()[0] / name, self.host)

    def tearDown(self):
        self.folder.cleanup()

    def edit(self, name, change):
        file = self.host / name
        file.write_text(change(file.read_text()))

    def validate(self, *words):
        return peerpath("validate", "pcie-bench", "--data", self.host, "--quiet", *words)

    def keep_latency_windows_alone(self):
        """Bandwidths of windows take long to predict."""
        (self.host / "bw_dma_win_sweep_rd_rnd_64.csv").unlink()


class Validate(WithHost):
    def test_a_host_under_another_name_is_judged_alike(self):
        self.keep_latency_windows_alone()
        mine = self.validate("--json", "--cache", "25MiB")
        self.assertEqual(mine.stderr, "")
        known = self.host.with_name(hosts()[0].name)  # whose processor is in the name
        shutil.copytree(self.host, known)
        theirs = peerpath("validate", "pcie-bench", "--data", known, "--json", "--quiet")
        self.assertEqual(mine.returncode, theirs.returncode)
        mine, theirs = json.loads(mine.stdout)["hosts"], json.loads(theirs.stdout)["hosts"]
        self.assertEqual([h.pop("host") for h in mine + theirs], ["lab7", hosts()[0].name])
        self.assertEqual(mine, theirs)
        self.assertTrue(mine[0]["sweeps"])

    def test_windows_of_a_processor_that_is_not_known_are_said_not_to_be_judged(self):
        document = json.loads(first_host().stdout)["hosts"][0]
        self.assertIn("last-level cache is not known", document["windows_not_judged"])
        self.assertNotIn("sweeps", document)
        self.keep_latency_windows_alone()
        (self.host / "sys-lscpu.txt").write_text("L3 cache:              25600K\n")
        for words, size, ways in (((), 25 << 20, 20), (("--cache-ways", "11"), 25 << 20, 11)):
            done = self.validate("--json", *words)
            host = json.loads(done.stdout)["hosts"][0]
            self.assertEqual((host["setup"]["cache_bytes"], host["setup"]["cache_ways"]), (size, ways), done.stderr)
            self.assertNotIn("windows_not_judged", host)
            self.assertTrue(host["sweeps"])

    def test_the_cache_can_be_given(self):
        self.keep_latency_windows_alone()
        host = json.loads(self.validate("--json", "--cache", "15MiB").stdout)["hosts"][0]
        self.assertEqual(host["setup"]["cache_bytes"], 15 << 20)
        self.assert_refused("--cache 15: ", "--cache", "15")
        self.assert_refused("--cache-ways 1: ", "--cache-ways", "1")

    def test_data_may_lie_anywhere(self):
        here = os.getcwd()
        try:
            os.chdir(self.folder.name)
            done = peerpath("validate", "pcie-bench", "--data", "lab7", "--quiet", "--json")
        finally:
            os.chdir(here)
        self.assertEqual(done.stdout, first_host().stdout, done.stderr)

    def test_a_host_alone_cannot_be_left_out(self):
        self.assert_refused("only one machine is here", "--leave-one-out")

    def test_constants_are_few_and_fitted_sizes_two_a_curve(self):
        document = json.loads(first_host().stdout)
        self.assertLessEqual(len(document["card"]), 7)
        host = document["hosts"][0]
        self.assertLessEqual(len(host["constants"]), 3)
        for constant in [*document["card"].values(), *host["constants"].values()]:
            self.assertTrue(constant["meaning"])
        for test in {p["test"] for p in host["points"]}:
            self.assertLessEqual(sum(p["fitted"] for p in host["points"] if p["test"] == test), 2, test)
        for point in host["points"]:
            self.assertEqual("cause" in point, abs(point["error"]) > 0.05, point)

    def test_rows_may_be_missing(self):
        gone = (",16,", ",192,", ",768,", ",2048,")
        self.edit(SWEEP, lambda t: "".join(r for r in t.splitlines(True) if not any(g in r[:45] for g in gone)))
        document = json.loads(self.validate("--json").stdout)
        points = document["hosts"][0]["points"]
        self.assertEqual(len(points), 164 - 12)
        self.assertEqual(sum(p["fitted"] for p in points), 10 + 4)  # and four of the command interface
        self.assertTrue(all(c["points"] > 0 for c in document["hosts"][0]["criteria"]))

    def test_other_settings_of_the_card_are_taken(self):
        good = (self.host / "sys-lspci.txt").read_text()
        settings = ("MaxPayload 256 bytes, MaxReadReq 4096", "ExtTag-", "CGenEn+", "Speed 8GT/s, Width x8")
        for others in (("MaxPayload 128 bytes, MaxReadReq 512", "ExtTag+", "CGenEn+", "Speed 5GT/s, Width x4"),
                       ("MaxPayload 512 bytes, MaxReadReq 128", "ExtTag-", "CGenEn-", "Speed 32GT/s, Width x16")):
            with self.subTest(others[0]):
                text = good
                for old, new in zip(settings, others):
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                (self.host / "sys-lspci.txt").write_text(text)
                done = self.validate("--json")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                json.loads(done.stdout)

    def test_what_is_not_fitted_does_not_touch_the_fit(self):
        before = json.loads(first_host().stdout)["hosts"][0]
        fitted = {(p["test"], p["size_bytes"]) for p in before["points"] if p["fitted"]}

        def poison(text, column, factor):
            rows = [r.split(",") for r in text.splitlines()]
            for row in rows[1:]:
                if (row[0], int(float(row[6]))) not in fitted:
                    at = rows[0].index(column)
                    row[at] = str(float(row[at]) * factor)
            return "\n".join(map(",".join, rows)) + "\n"

        self.edit(SWEEP, lambda t: poison(t, "Time", 7.5))
        self.edit(DMA_LATENCY, lambda t: poison(t, "Avg(ns)", 0.1))
        self.edit(COMMAND_LATENCY, lambda t: poison(t, "Avg(ns)", 30))
        done = self.validate("--json")
        after = json.loads(done.stdout)["hosts"][0]
        self.assertEqual(done.returncode, 1)
        self.assertEqual(after["constants"], before["constants"])
        self.assertEqual([p["predicted"] for p in after["points"]], [p["predicted"] for p in before["points"]])
        self.assertNotEqual([p["measured"] for p in after["points"]], [p["measured"] for p in before["points"]])

    def test_other_measurements_fail(self):
        def faster(text):
            rows = [r.split(",") for r in text.splitlines()]
            at = rows[0].index("Bytes")
            for row in rows[1:]:
                row[at] = str(float(row[at]) * 1.2)
            return "\n".join(map(",".join, rows)) + "\n"

        self.edit(SWEEP, faster)
        done = self.validate()
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("FAIL writes of 512 B and more", done.stdout)

    def assert_refused(self, place, *words):
        done = self.validate(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, place)

    def test_broken_input_is_refused_with_its_place(self):
        def cut_row(text):
            lines = text.splitlines(True)
            lines[4] = lines[4][:30] + "\n"
            return "".join(lines)

        def replace_cell(text, line, cell, what):
            lines = text.splitlines()
            cells = lines[line].split(",")
            cells[cell] = what
            lines[line] = ",".join(cells)
            return "\n".join(lines) + "\n"

        for name in (SWEEP, DMA_LATENCY, COMMAND_LATENCY):
            with self.subTest(name):
                good = (self.host / name).read_text()
                measured = "Time" if name == SWEEP else "Avg(ns)"
                column = good.splitlines()[0].split(",").index(measured)
                for change, place in (
                    (lambda t: "", f"{name}:1"),
                    (lambda t: t.splitlines(True)[0], f"{name}:1"),
                    (lambda t: t.replace("SZ,", "Size,", 2), f'{name}:1.*"SZ" is missing'),
                    (lambda t: replace_cell(t, 0, column, "x"), f"{name}:1.*is missing"),
                    (lambda t: replace_cell(t, 6, column, "nan"), f"{name}:7.*not a number"),
                    (lambda t: replace_cell(t, 6, column, "-inf"), f"{name}:7.*not a number"),
                    (lambda t: replace_cell(t, 3, column, ""), f"{name}:4.*not a number"),
                    (lambda t: replace_cell(t, 3, 0, "BW_DMA_XX"), f"{name}:4.*not a test"),
                    (lambda t: replace_cell(t, 3, 6, "1e9"), f"{name}:4.*SZ"),
                    (cut_row, f"{name}:5.*cells"),
                    (lambda t: t[:-9], f"{name}:{len(good.splitlines())}.*truncated"),
                    (lambda t: "\0\1\2" * 50, f"{name}:1"),
                ):
                    (self.host / name).write_text(change(good))
                    self.assert_refused(place)
                (self.host / name).write_text(good)

    def test_a_curve_that_the_fit_needs_is_missed(self):
        self.edit(SWEEP, lambda t: "".join(r for r in t.splitlines(True) if not r.startswith("BW_DMA_WR")))
        self.assert_refused(f"{SWEEP}:1.*BW_DMA_WR")

    def test_a_missing_file_is_named(self):
        for name in USED:
            kept = (self.host / name).read_bytes()
            (self.host / name).unlink()
            self.assert_refused(f"{name}: .*cannot be read")
            (self.host / name).write_bytes(kept)

    def test_a_dump_without_the_card_or_broken_is_refused(self):
        good = (self.host / "sys-lspci.txt").read_text()
        for change, place in (
            (lambda t: t.replace("Netronome", "Somebody"), "sys-lspci.txt:1.*no Netronome card"),
            (lambda t: "", "sys-lspci.txt:1"),
            (lambda t: t[: t.index("MaxReadReq") + 4], r"sys-lspci.txt:\d+"),
            (lambda t: t.replace("MaxPayload 256 bytes, MaxReadReq", "MaxPayload 64 bytes, MaxReadReq"), r"sys-lspci.txt:\d+.*128"),
            (lambda t: t.replace("MaxReadReq 4096", "MaxReadReq 4097"), r"sys-lspci.txt:\d+.*power of two"),
        ):
            (self.host / "sys-lspci.txt").write_text(change(good))
            self.assert_refused(place)

    def test_no_host_is_refused(self):
        self.assert_refused("whose name contains nowhere", "--host", "nowhere")
        done = peerpath("validate", "pcie-bench", "--data", self.host / "none")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(peerpath("validate", "pci-bench").returncode, 2)


class Documented(unittest.TestCase):
    def test_the_kept_results_are_what_the_program_prints(self):
        done = peerpath("validate", "pcie-bench", *DOCUMENTED, "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)  # a criterion fails, as evidence.json lists
        kept = {row["row"]: row for row in json.loads((SOURCE / "validation/evidence_results.json").read_text())["rows"]
                if row["set"] == "pcie-bench"}
        host, seen = "", set()
        for line in done.stdout.splitlines():
            if line.startswith("nfp6000"):
                host = line.split("_", 1)[1]
            found = re.fullmatch(r"  (?:pass|FAIL) (.*?) +([\d.]+), allowed ([\d.]+) \((\d+) points\)", line)
            if not found:
                continue
            row = kept[f"{host}: {found[1]}"]
            self.assertAlmostEqual(float(found[2]), row["value"], delta=0.06, msg=line)
            self.assertEqual((float(found[3]), int(found[4])), (row["at_most"], row["points"]), line)
            seen.add(row["row"])
        self.assertGreater(len(seen), 12)
        if not DOCUMENTED:
            self.assertEqual(seen, set(kept))
        page = (SOURCE / "docs/validation.md").read_text()
        effects = () if DOCUMENTED else ("iotlb_entries", "walk_latency", "walk_interval", "cold_miss", "remote_hop")
        for name in ("command", "chunk", "read_beat", "turnaround", "setup", "tlp_gap", "command_path", *effects):
            line = next(line for line in done.stdout.splitlines() if line.startswith(f"  {name} "))
            self.assertIn(line, page)


class Import(WithHost):
    def imported(self, dump):
        preset = pathlib.Path(self.folder.name) / "preset.json"
        done = peerpath("import", dump, "-o", preset)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return preset

    def test_each_real_dump_makes_a_preset_that_a_scenario_can_extend(self):
        for host in hosts():
            with self.subTest(host.name):
                preset = self.imported(host / "sys-lspci.txt")
                cards = [(name, d) for name, d in json.loads(preset.read_text())["devices"].items()
                         if d["kind"] == "dma_card" and d["function"]["max_payload_supported"] == "512B"]
                self.assertEqual(len(cards), 1)
                name, card = cards[0]
                self.assertEqual(card["function"]["max_payload"], "256B")
                self.assertEqual(card["function"]["max_read_request"], "4096B" if "bdw" in host.name else "512B")
                scenario = preset.with_name("tiny.json")
                scenario.write_text(json.dumps({
                    "extends": preset.name,
                    "traffic": [{"name": "w", "kind": "write", "from": name, "to": "dram", "rate": "10Gbps", "sizes": "256B"}],
                    "run": {"measure": "20us"},
                    "expect": [{"metric": "w.goodput_gbps", "equals": 10, "within_percent": 2}]}))
                self.assertEqual(peerpath("check", scenario).returncode, 0, peerpath("check", scenario).stderr)
                ran = peerpath("run", scenario, "--out", preset.with_name("out"))
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_the_kept_preset_is_what_import_makes(self):
        kept = json.loads((SOURCE / "scenarios/hardware/dell_t430.json").read_text())
        made = json.loads(self.imported(hosts()[0] / "sys-lspci.txt").read_text())
        for part in ("devices", "links"):
            self.assertEqual(made[part], kept[part])

    def test_the_kept_card_has_the_fitted_constants(self):
        lines = (SOURCE / "scenarios/hardware/nfp6000.json").read_text().splitlines()
        kept = json.loads("\n".join(line for line in lines if not line.startswith("//")))
        fitted = json.loads((SOURCE / "validation/data/presets/nfp6000.json").read_text())["constants"]
        for name, constant in fitted.items():
            if constant["unit"] == "ns" and name not in ("setup", "command_path"):  # of the measurement, not the card
                for key in ("write_chunk", "store") if name == "chunk" else (name,):
                    self.assertEqual(kept[key], f"{round(constant['value'] * 1000)}ps", key)

    def test_what_is_no_dump_is_refused_with_its_place(self):
        wrong = pathlib.Path(self.folder.name) / "wrong.txt"
        good = (self.host / "sys-lspci.txt").read_text()
        for text, place in (
            ("", r"wrong\.txt:1"),
            ('{ "json": 1 }\n', r"wrong\.txt:1.*not the address"),
            (good[: good.index("MaxReadReq") - 5], r"wrong\.txt:\d+.*truncated"),
            (good.replace("MaxReadReq 4096", "MaxReadReq x", 1), r"wrong\.txt:\d+.*MaxReadReq"),
            ("00:00.0 Host bridge: Nobody\n", r"wrong\.txt.*lspci -vvv run as root"),
        ):
            wrong.write_text(text)
            done = peerpath("import", wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text[:60])
            self.assertRegex(done.stderr, place)
        self.assertEqual(peerpath("import", wrong.with_name("none.txt")).returncode, 2)


if __name__ == "__main__":
    PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[3:] == ["--all"]:
        DOCUMENTED = ()
    unittest.main(argv=sys.argv[:1])
