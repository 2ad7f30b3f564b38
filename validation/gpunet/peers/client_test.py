#!/usr/bin/env python3
"""The client of the guide against nc.

usage: client_test.py GUIDE SOURCE CLIENT [OPTION ...]

The guide must show the source as it is. CLIENT is called with its options and a port; exit 77 where there is no nc.
"""

import shutil
import subprocess
import sys
import time

from faces import free_port


def main():
    guide, source, client, *options = sys.argv[1:]
    if guide != "-":
        with open(guide, encoding="utf-8") as shown, open(source, encoding="utf-8") as file:
            if file.read() not in shown.read():
                print(f"{guide} does not show {source} as it is")
                return 1
    if not shutil.which("nc"):
        print("no nc: skipped")
        return 77
    port = free_port()
    server = subprocess.Popen(["nc", "-l", "127.0.0.1", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server.stdin.write(b"good day, gpu\n")
    server.stdin.flush()
    time.sleep(0.5)
    subprocess.run([client, *options, str(port)], check=True, timeout=60)
    heard = server.communicate(timeout=20)[0]
    print(heard.decode())
    return 0 if heard == b"hello from a threadblock\nGOOD DAY, GPU\n" else 1


if __name__ == "__main__":
    sys.exit(main())
