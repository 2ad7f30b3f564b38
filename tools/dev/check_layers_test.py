#!/usr/bin/env python3
"""The layer check catches what it is there to catch: each mistake is planted in a scratch copy of the tree.

usage: check_layers_test.py ROOT
"""

import os
import shutil
import sys
import tempfile
import unittest

import check_layers
import source_tree

ROOT = "."


class PlantedInclude(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before = set(check_layers.problems(ROOT))
        cls.root = tempfile.mkdtemp(prefix="layers.")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        for path in source_tree.files(ROOT, source_tree.CXX):
            # Headers are what planted files can reach; of the rest one folder is enough to stand for what is there.
            if not path.endswith((".hpp", ".h")) and not path.startswith("models/fabric/"):
                continue
            os.makedirs(os.path.dirname(os.path.join(cls.root, path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(cls.root, path))

    def plant(self, path, line):
        """Until the test ends."""
        planted = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(planted), exist_ok=True)
        if os.path.exists(planted):
            self.addCleanup(shutil.copy, planted + ".before", planted)
            shutil.copy(planted, planted + ".before")
        else:
            self.addCleanup(os.remove, planted)
        with open(planted, "a", encoding="utf-8") as file:
            file.write(line + "\n")

    def new_problems(self):
        return [p for p in check_layers.problems(self.root) if p not in self.before]

    def assert_refused(self, path, line, expected):
        self.plant(path, line)
        found = self.new_problems()
        self.assertTrue(any(p.startswith(path + ":") and expected in p for p in found), f"not refused: {found}")

    def test_an_untouched_copy_gives_the_same_verdict(self):
        self.assertEqual(self.new_problems(), [])

    def test_systemc_in_core(self):
        self.assert_refused("models/core/net/planted.cpp", "#include <systemc>", ":1: core may not include <systemc>")

    def test_systemc_at_the_end_of_an_existing_file(self):
        path = next(p for p in source_tree.files(ROOT, (".cpp",)) if p.startswith("models/fabric/"))
        self.assert_refused(path, "#include <systemc>", "fabric may not include <systemc>")

    def test_systemc_in_core_through_a_header_of_sc(self):
        self.plant("models/sc/planted.hpp", "#include <systemc>")
        self.assert_refused("models/core/net/planted.cpp", '#include "sc/planted.hpp"', "core may not use sc")

    def test_systemc_in_core_through_a_header_of_its_own(self):
        self.plant("models/core/net/planted.hpp", "#include <tlm>")
        self.assert_refused("models/core/net/planted.cpp", '#include "core/net/planted.hpp"',
                            "core may not reach <tlm>, and does through core/net/planted.hpp")

    def test_parts_of_a_kind_of_device(self):
        self.plant("models/devices/planted/platform.hpp", '#include "platform/device.hpp"')
        self.plant("models/devices/planted/check.cpp", '#include "scenario/check/check.hpp"')
        self.assertEqual(self.new_problems(), [])
        self.assert_refused("models/devices/planted/planted.cpp", '#include "platform/device.hpp"',
                            "core may not use platform")
        self.assert_refused("models/devices/planted/check_more.cpp", '#include "devices/planted/platform.hpp"',
                            "scenario may not use platform")

    def test_parts_of_a_kind_of_traffic(self):
        self.plant("models/traffic/planted/setup.cpp", '#include "platform/device.hpp"')
        self.plant("models/traffic/planted/check.cpp", '#include "scenario/check/check.hpp"')
        self.assertEqual(self.new_problems(), [])
        self.assert_refused("models/traffic/planted/kind.hpp", '#include "platform/device.hpp"',
                            "scenario may not use platform")

    def test_systemc_in_platform(self):
        self.assert_refused("models/platform/planted.cpp", "#include <systemc>", "platform may not include <systemc>")
        self.plant("models/sc/planted.hpp", "#include <tlm>")
        self.assert_refused("models/platform/planted2.cpp", '#include "sc/planted.hpp"', "platform may not use sc")

    def test_cuda_and_qemu_in_platform(self):
        self.assert_refused("models/platform/planted.cpp", "#include <cuda_runtime.h>", "platform may not include")
        self.assert_refused("include/peerpath/platform/planted.hpp", "#include <qemu/osdep.h>", "platform may not include")

    def test_platform_below_it(self):
        self.assert_refused("models/scenario/planted.cpp", '#include "peerpath/platform/run.hpp"',
                            "scenario may not use platform")

    def test_fabric_and_devices_know_only_what_both_speak_of(self):
        self.assert_refused("models/fabric/planted.cpp", '#include "peerpath/device/endpoint.hpp"', "fabric may not use core")
        path = next(p for p in source_tree.files(ROOT, (".hpp",)) if p.startswith("models/fabric/engine/"))
        self.assert_refused("models/core/host/planted.cpp", f'#include "{path[len("models/"):]}"', "core may not use fabric")

    def test_json_in_fabric(self):
        self.assert_refused("models/fabric/planted.cpp", "#include <nlohmann/json.hpp>", "fabric may not include")

    def test_input_output_and_threads_in_core(self):
        self.assert_refused("models/core/net/planted.cpp", "#include <iostream>", "core may not include <iostream>")
        self.assert_refused("models/core/net/planted2.cpp", "#include <thread>", "core may not include <thread>")

    def test_wall_clock_in_fabric(self):
        self.assert_refused("models/fabric/planted.cpp", "auto t = std::chrono::steady_clock::now();", "may not ask")

    def test_anything_in_base(self):
        self.assert_refused("models/base/planted.cpp", '#include "peerpath/fabric/fabric.hpp"',
                            "base may not use transactions")
        self.assert_refused("models/base/planted2.cpp", "#include <tl/expected.hpp>", "base may not include")

    def test_third_party_header_in_a_public_one_of_scenario(self):
        self.assert_refused("include/peerpath/scenario/planted.hpp", "#include <nlohmann/json.hpp>",
                            "private to scenario")

    def test_systemc_in_validation(self):
        self.assert_refused("validation/compare/planted.cpp", "#include <systemc>", "validation may not include")

    def test_model_headers_in_a_qemu_device(self):
        self.assert_refused("qemu-devices/planted.c", '#include "peerpath/fabric/fabric.hpp"',
                            "qemu-devices may not use transactions")

    def test_an_include_in_a_comment_is_none(self):
        self.plant("models/core/net/planted.cpp", "// #include <systemc>\n/*\n#include <systemc>\n*/")
        self.assertEqual(self.new_problems(), [])


if __name__ == "__main__":
    ROOT = sys.argv.pop(1) if len(sys.argv) > 1 else ROOT
    unittest.main()
