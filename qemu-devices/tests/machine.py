# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU without firmware and without a guest: the test is the processor. It speaks QTest's line protocol, enumerates PCI
itself, and drives the devices' registers."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
QEMU = os.environ.get("PEERPATH_QEMU", str(ROOT / "build/qemu/bin/qemu-system-x86_64"))
SKIPPED = 77
WINDOW = 0xB0000000

GPU, NIC, UPSTREAM, DOWNSTREAM, ROOT_PORT = 0x10501AF4, 0x00421AE0, 0x8232104C, 0x8233104C, 0x000C1B36

SWITCH = ("pcie-root-port,id=rp0,chassis=1,slot=1 peerpath-switch-upstream,id=sw0,bus=rp0 "
          "peerpath-switch-downstream,id=sw0p0,bus=sw0,chassis=2,slot=0 "
          "peerpath-switch-downstream,id=sw0p1,bus=sw0,chassis=2,slot=1 ").split()


def need_qemu():
    """Ends the test as skipped when QEMU has not been built."""
    if not os.path.exists(QEMU):
        print(f"{QEMU} is not there: run qemu-devices/build", file=sys.stderr)
        sys.exit(SKIPPED)


class Machine:
    """One QEMU. `devices` are the arguments of -device in order."""

    def __init__(self, devices, extra=(), memory="256M"):
        self.folder = tempfile.TemporaryDirectory()
        path = self.folder.name
        self.sockets = {}
        for name in ("qtest", "qmp"):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(f"{path}/{name}")
            listener.listen(1)
            listener.settimeout(0.2)
            self.sockets[name] = listener
        command = [QEMU, "-L", "/usr/share/seabios", "-L", "/usr/share/qemu", "-M", "q35,kernel-irqchip=split", "-m", memory, "-display", "none", "-nodefaults", "-accel", "qtest",
                   "-qtest", f"unix:{path}/qtest", "-qtest-log", "/dev/null",
                   "-chardev", f"socket,id=qmp,path={path}/qmp", "-mon", "chardev=qmp,mode=control", *extra]
        for device in devices:
            command += ["-device", device]
        with open(f"{path}/stderr", "w") as errors:
            self.process = subprocess.Popen(command, stderr=errors)
        self.qtest, self.qmp_stream = (self.accept(name) for name in ("qtest", "qmp"))
        try:
            self.qmp_stream.readline()
            self.qmp("qmp_capabilities")
        except (OSError, ValueError):
            raise self.not_started() from None

        self.open_window()

    def open_window(self):
        self.ask("outl 0xcf8 0x80000060")
        self.ask(f"outl 0xcfc 0x{WINDOW | 1:x}")

    def accept(self, name):
        end = time.monotonic() + 20
        while True:
            try:
                connection, _ = self.sockets[name].accept()
                break
            except TimeoutError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise self.not_started() from None
        with connection:  # the stream keeps it open
            return connection.makefile("rw", newline="\n")

    def not_started(self):
        self.process.kill()
        self.process.wait(20)
        error = RuntimeError("QEMU did not start: " + self.errors())
        for listener in self.sockets.values():
            listener.close()
        self.folder.cleanup()
        return error

    def errors(self):
        return pathlib.Path(self.folder.name, "stderr").read_text()

    def ask(self, line):
        self.qtest.write(line + "\n")
        self.qtest.flush()
        while True:
            answer = self.qtest.readline()
            if not answer:
                raise EOFError("QEMU has ended: " + self.errors())
            if answer.startswith("OK"):
                return answer.split()[1:]
            if not answer.startswith("IRQ"):
                raise RuntimeError(f"{line}: {answer}")

    def qmp(self, command, **arguments):
        self.qmp_stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.qmp_stream.flush()
        while True:
            answer = json.loads(self.qmp_stream.readline())
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise RuntimeError(answer["error"]["desc"])

    def get(self, device, what):
        return self.qmp("qom-get", path=f"/machine/peripheral/{device}", property=what)

    def set(self, device, what, value):
        self.qmp("qom-set", path=f"/machine/peripheral/{device}", property=what, value=value)

    def counters(self, device):
        return json.loads(self.get(device, "counters"))

    def ledger(self, device="nic0"):
        return json.loads(self.get(device, "ledger-json"))

    # Memory and registers. Sizes are those of the protocol: b, w, l, q for 1, 2, 4, 8 bytes.
    def read(self, size, address):
        return int(self.ask(f"read{size} 0x{address:x}")[0], 16)

    def write(self, size, address, value):
        self.ask(f"write{size} 0x{address:x} 0x{value:x}")

    def load(self, address, count):
        return bytes.fromhex(self.ask(f"read 0x{address:x} 0x{count:x}")[0][2:]) if count else b""

    def store(self, address, data):
        self.ask(f"write 0x{address:x} 0x{len(data):x} 0x{data.hex()}")

    def until(self, condition, seconds=5):
        """Devices work from bottom halves, so results come a moment after the register access."""
        end = time.monotonic() + seconds
        while True:
            result = condition()
            if result or time.monotonic() > end:
                return result

    # PCI configuration space, through the memory window of q35, which shows all 4 KiB of a function
    def config(self, bdf, offset, size=4):
        return self.read("?bw?l"[size], WINDOW + (bdf << 12) + offset)

    def set_config(self, bdf, offset, value, size=4):
        self.write("?bw?l"[size], WINDOW + (bdf << 12) + offset, value)

    def alive(self):
        return self.process.poll() is None and self.ask("readb 0x0") is not None

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(20)
        for stream in (self.qtest, self.qmp_stream):
            stream.close()
        for listener in self.sockets.values():
            listener.close()
        self.folder.cleanup()
        return status
