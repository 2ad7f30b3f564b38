#!/usr/bin/env python3
"""nc and a Python client at the other end of an echo server of a (here emulated) GPU, by TCP and by a UNIX socket.

usage: nc_test.py PROGRAM [OPTION ...]      (peerpath-gpunet and its options; exit 77 where there is no nc)
"""

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from faces import connect, free_port, receive


def through_nc(arguments, data):
    done = subprocess.run(["nc", "-N", *arguments], input=data, stdout=subprocess.PIPE, timeout=60, check=True)
    return done.stdout == data


def by_python(connection, seed):
    """Sends of any size, received as they come."""
    rng = random.Random(seed)
    for _ in range(30):
        data = rng.randbytes(rng.choice((1, 7, 124, 125, 4096, rng.randrange(1, 60000))))
        connection.sendall(data)
        if receive(connection, len(data)) != data:
            return False
    return True


def main():
    if not shutil.which("nc"):
        print("no nc: skipped")
        return 77
    program, given, port = sys.argv[1], sys.argv[2:], free_port()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "echo")
        common = [*given, "--blocks", "2", "--seconds", "60", "serve-echo"]
        servers = [subprocess.Popen([program, *at, *common]) for at in (["--tcp", str(port)], ["--path", path])]
        data = random.Random(1).randbytes(300000)
        connect(port).close()
        while not os.path.exists(path):
            time.sleep(0.05)
        time.sleep(0.2)
        results["nc, TCP"] = through_nc(["127.0.0.1", str(port)], data)
        results["nc, UNIX"] = through_nc(["-U", path], data)
        with connect(port) as one, connect(port) as two:
            results["Python, TCP"] = by_python(one, 2) and by_python(two, 3)
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(path)
            results["Python, UNIX"] = by_python(one, 4)
        for server in servers:
            server.kill()
    for name, right in results.items():
        print(f"{name}: {'same bytes' if right else 'WRONG'}")
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
