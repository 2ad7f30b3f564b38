#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What qemu-devices/guest/own-kernel says of kernels that will not do: one sentence each. No guest is booted.

usage: own_kernel_test.py
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "guest" / "own-kernel"
BUILT = SCRIPT.parents[2] / "build" / "guest" / "own"
RELEASE = "6.99.0-peerpath-test"


def image(release):
    """As much of a bzImage as has its release: boot.rst, offsets 0x202 (magic) and 0x20e (where the version stands, less 0x200)."""
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    head[0x20e:0x210] = (0x100).to_bytes(2, "little")
    words = f"{release} (somebody@somewhere) #1 SMP".encode() + b"\0"
    head[0x300:0x300 + len(words)] = words
    return bytes(head)


class OwnKernel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refusal(self, path):
        done = subprocess.run([SCRIPT, path], capture_output=True, text=True)
        for made in BUILT.glob(RELEASE + "-*"):
            shutil.rmtree(made)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        return done.stdout

    def kernel(self, builtin=()):
        """An image with modules beside it, all of them built in."""
        modules = self.folder / "lib" / "modules" / RELEASE
        (modules / "kernel").mkdir(parents=True)
        (modules / "modules.order").write_text("")
        (modules / "modules.builtin").write_text("".join(f"kernel/{name}.ko\n" for name in builtin))
        (modules / "modules.builtin.modinfo").write_bytes(b"".join(f"{name}.license=GPL".encode() + b"\0" for name in builtin))
        (self.folder / "bzImage").write_bytes(image(RELEASE))
        return self.folder / "bzImage"

    def test_a_kernel_without_gve(self):
        said = self.refusal(self.kernel(["qemu_fw_cfg", "virtio_net"]))
        self.assertIn(f"the kernel {RELEASE} has no gve, the driver of the emulated NIC: it needs CONFIG_GVE=m or y", said)

    def test_a_kernel_without_the_card_at_the_other_end(self):
        self.assertIn("has no virtio_net", self.refusal(self.kernel(["gve", "qemu_fw_cfg"])))

    def test_modules_that_are_not_there(self):
        file = self.folder / "bzImage"
        file.write_bytes(image(RELEASE))
        self.assertIn(f"lib/modules/{RELEASE} should lie beside it", self.refusal(file))

    def test_what_is_no_kernel(self):
        (self.folder / "text").write_text("no kernel")
        self.assertIn("is neither a bzImage nor a kernel build tree", self.refusal(self.folder / "text"))
        self.assertIn("is no kernel build tree with a bzImage", self.refusal(self.folder))
        self.assertIn("there is no such kernel", self.refusal(self.folder / "nothing"))

    def test_a_tree_without_modules(self):
        (self.folder / "include/config").mkdir(parents=True)
        (self.folder / "include/config/kernel.release").write_text(RELEASE + "\n")
        (self.folder / "arch/x86/boot").mkdir(parents=True)
        (self.folder / "arch/x86/boot/bzImage").write_bytes(image(RELEASE))
        self.assertIn("it needs CONFIG_MODULES=y", self.refusal(self.folder))


if __name__ == "__main__":
    if shutil.which("modprobe", path="/sbin:/usr/sbin:/bin:/usr/bin") is None:
        print("waived: no kmod")
        raise SystemExit(77)
    unittest.main()
