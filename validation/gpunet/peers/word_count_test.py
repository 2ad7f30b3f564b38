#!/usr/bin/env python3
"""MapReduce over sockets against `tr | sort | uniq -c`.

usage: word_count_test.py PROGRAM [OPTION ...]      (peerpath-gpunet and its options)
"""

import os
import subprocess
import sys
import tempfile


def main():
    program, given = sys.argv[1], sys.argv[2:] or ["--bytes", "200000", "--blocks", "2", "--nodes", "2"]
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result")
        subprocess.run([program, *given, "--write", result, "words"], check=True)
        shell = f"tr -cs A-Za-z '\\n' <{result}.txt | tr A-Z a-z | grep . | LC_ALL=C sort | uniq -c"
        lines = subprocess.run(["sh", "-c", shell], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
        expected = [" ".join(line.split()) for line in lines]
        with open(result + ".counts", encoding="ascii") as file:
            found = file.read().splitlines()
        print(f"{len(expected)} words, {sum(int(line.split()[0]) for line in expected)} in all: "
              f"{'equal' if found == expected else 'DIFFERENT'}")
        return 0 if found == expected and len(expected) > 100 else 1


if __name__ == "__main__":
    sys.exit(main())
