#!/bin/bash
# Packet networks over ranks of mpirun, on two quiet cores: a permutation of 1,024 hosts with one, two and four ranks (the same bytes of results), and an
# AllReduce on 4,096 GPUs (two ranks the same bytes as one, at least 1.6 times as fast, within 16 GiB and 15 minutes). About four minutes.
set -eu
cd "$(dirname "$0")/../../.."
program=$PWD/build/release/bin/peerpath
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
# On this machine alone, with more ranks than processors if need be, and as root too.
export OMPI_MCA_plm=isolated OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
python3 -B - "$program" "$out" "$@" <<'END_OF_PYTHON'
import json, os, pathlib, subprocess, sys, time
program, out = sys.argv[1], pathlib.Path(sys.argv[2])
hosts = 1024
cables = {"host_rate": "100Gbps", "fabric_rate": "100Gbps", "host_delay": "250ns", "fabric_delay": "250ns"}
permutation = {
    "network": {"fat_tree": {"ports": 16, "cables": cables}}, "nics": {"ack_every": 1},
    "rdma": [{"name": "permutation", "from": [f"h{h}" for h in range(hosts)], "to": [f"h{(h * 389 + 517) % hosts}" for h in range(hosts)],
              "size": "2000000B", "outstanding": 1, "messages": 1}],
    "run": {"measure": "1ms"}}
job = {
    "network": {"clos": {"racks": 256, "hosts": 16, "spines": 18}}, "switches": {"path": "pinned"},
    "collectives": [{"name": "all_reduce", "hosts": "h0..h4095", "bytes": "64MiB", "rings": 8}], "run": {"measure": "20ms"}}

def run(name, scenario, ranks):
    """Wall time, processor time of all ranks, memory of the largest one in MiB, and the results."""
    file, folder = out / f"{name}.json", out / f"{name}.{ranks}"
    file.write_text(json.dumps(scenario))
    launcher = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    # Its ranks are the children of mpirun, which waits for them: a process of its own has them all.
    code = ("import json,resource,subprocess,sys; c=subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; "
            "u=resource.getrusage(resource.RUSAGE_CHILDREN); print(json.dumps([c, u.ru_utime+u.ru_stime, u.ru_maxrss/1024]))")
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, *launcher, program, "run", str(file), "--out", str(folder), "--quiet"],
                          capture_output=True, text=True, check=True)
    wall = time.monotonic() - begin
    status, processor, memory = json.loads(done.stdout)
    if status != 0:
        sys.exit(f"{name} with {ranks} ranks: exit {status}\n{done.stderr}")
    return wall, processor, memory, (folder / "results.json").read_bytes()

def metric(results, name):
    return next(m["value"] for m in json.loads(results)["metrics"] if m["name"] == name)

print(f"load of the machine: {os.getloadavg()[0]:.1f}; {os.cpu_count()} processors")
good = True
best, results = {}, {}
for _ in range(3):
    for ranks in (1, 2):
        wall, processor, memory, results[ranks] = run("permutation", permutation, ranks)
        best[ranks] = min(best.get(ranks, 1e9), wall)
        print(f"permutation of {hosts} hosts, {ranks} rank(s): {wall:6.2f} s, {processor:6.2f} s of processor time, {memory:5.0f} MiB a rank")
wall, processor, memory, results[4] = run("permutation", permutation, 4)
print(f"permutation of {hosts} hosts, 4 ranks:   {wall:6.2f} s, {processor:6.2f} s of processor time, {memory:5.0f} MiB a rank")
same = results[1] == results[2] == results[4]
print(f"two ranks: {best[1] / best[2]:.2f} x of one; results of 1, 2 and 4 ranks: {'the same bytes' if same else 'THEY DIFFER'}; "
      f"{metric(results[1], 'network.packets')} packets over cables")
good &= same
alone, _, _, found = run("all_reduce", job, 1)
wall, processor, memory, found_by_two = run("all_reduce", job, 2)
same = found == found_by_two
print(f"AllReduce of 64 MiB on 4,096 GPUs, two ranks: {wall:.0f} s (900), {processor:.0f} s of processor time, {2 * memory / 1024:.2f} GiB (16), "
      f"{metric(found, 'all_reduce.time_us')} us simulated, {metric(found, 'network.packets')} packets over cables; one rank {alone:.0f} s, "
      f"two {alone / wall:.2f} x (at least 1.6 wanted); {'the same bytes' if same else 'THEY DIFFER'}")
good &= same and alone / wall >= 1.6 and wall <= 900 and 2 * memory <= 16 * 1024 and metric(found, "all_reduce.time_us") is not None
sys.exit(0 if good else 1)
END_OF_PYTHON
