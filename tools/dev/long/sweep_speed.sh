#!/bin/bash
# 1,000 points of netgpu/zero_copy in one process and by two ranks of a launcher: at most 40 s of processor time (20 s on two cores),
# each rank with at most 1/1.8 of it, the same rows; and all shipped scenarios with at most 60 s. Wall times are not judged: others may run beside it.
set -eu
cd "$(dirname "$0")/../../.."
program=$PWD/build/release/bin/peerpath
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
points=(netgpu/zero_copy --jobs 1 --quiet --vary 'traffic.rx.flows=1..10' --vary 'nic0.queues=1..10' --vary nic0.mps=128,256
  --vary 'traffic.rx.rate=100Gbps,120Gbps,140Gbps,160Gbps,200Gbps')
python3 -B - "$program" "$out" "${points[@]}" <<'END_OF_PYTHON'
import os, resource, sqlite3, subprocess, sys
program, out, *points = sys.argv[1:]

def seconds(*words, **env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *words], env={**os.environ, **env}, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

def rows(name):
    return sorted(sqlite3.connect(f"{out}/{name}").execute("SELECT point, metric, value FROM results"))

_, one = seconds("sweep", *points, "--out", f"{out}/one.sqlite")
ranks = [seconds("sweep", *points, "--out", f"{out}/two.sqlite", OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")[1] for rank in (0, 1)]
status, scenarios = seconds("test", "scenarios/", "--junit", f"{out}/junit.xml", "--quiet")
print(f"1,000 points: {one:.1f} s of processor time; two ranks: {ranks[0]:.1f} and {ranks[1]:.1f} s, {one / max(ranks):.2f} x; "
      f"peerpath test scenarios/: {scenarios:.1f} s")
same = len(rows("one.sqlite")) > 100000 and rows("one.sqlite") == rows("two.sqlite")
sys.exit(0 if same and one <= 40 and one / max(ranks) >= 1.8 and status == 0 and scenarios <= 60 else 1)
END_OF_PYTHON
