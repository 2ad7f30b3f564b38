# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's job: one selftest, named by $test, in the system on /dev/vda. `run` puts the name in front.
modprobe gve; modprobe virtio_net; modprobe virtio_blk; modprobe ext4; modprobe af_packet
mkdir -p /disk
mount -t ext4 /dev/vda /disk || fail no disk
for folder in proc sys dev; do mount -o bind /$folder /disk/$folder; done
mount -t tmpfs run /disk/run; mount -t tmpfs tmp /disk/tmp
mkdir -p /disk/run/netns
mount -t bpf bpf /disk/sys/fs/bpf 2>/dev/null
# What the kernel asks for is on the disk.
printf '#!/bin/sh\nexec /bin/chroot /disk /sbin/modprobe "$@"\n' >/run/modprobe
chmod +x /run/modprobe
echo /run/modprobe >/proc/sys/kernel/modprobe
# gro asks for a socket buffer of 1 MiB and is given what the system allows.
echo 1048576 >/proc/sys/net/core/rmem_max
near=$(interface 02:50:50:00:00:00) || fail no driver took the NIC
far=$(interface 02:50:50:01:00:00) || fail no driver took the card at the other end
cat >/disk/run/prepare.sh <<'PREPARE'
export PATH=/usr/sbin:/usr/bin HOME=/root
near=$1 far=$2 test=$3
ip netns add peer
ip link set "$far" netns peer
ip link set lo up
ip -n peer link set lo up
for line in "$near 1" "-n_peer $far 2"; do
  set -- ${line#-n_peer }
  ns=; case $line in -n_peer*) ns="-n peer" ;; esac
  ip $ns addr add "192.0.2.$2/24" dev "$1"
  ip $ns -6 addr add "2001:db8::$2/64" dev "$1" nodad
  ip $ns link set "$1" up
done
# In the order in which they were sent: a fair queue, which is the default, takes flows in turn when it holds several packets.
# For gro_hw.py a slow wire too: its program's socket buffer (it asks for 1 MiB) does not hold the frames of 512 flows at once.
qdisc="pfifo limit 4096"
[ "$test" != hw/gro_hw.py ] || qdisc="tbf rate 20mbit burst 2000 limit 4000000"
tc -n peer qdisc replace dev "$far" root $qdisc || exit 1
# Buffers for all 512 flows of gro_hw.py at once.
ethtool -G "$near" rx 2048 || exit 1
ethtool -K "$near" ntuple on
sleep 1
ping -c 1 -W 3 192.0.2.2 >/dev/null && ping -6 -c 1 -W 3 2001:db8::2 >/dev/null && echo "the peer answers"
PREPARE
chroot /disk /usr/bin/bash /run/prepare.sh "$near" "$far" "$test" || fail the peer does not answer
cat >/disk/run/one_test.py <<'RUNNER'
"""Runs a selftest and passes on each line of its output as JSON."""
import json, os, subprocess, sys, time
test, near = sys.argv[1:]
folder, name = os.path.split("/run/direct.sh" if test.startswith("direct/") else "/selftests/tools/testing/selftests/drivers/net/" + test)
env = {"PATH": "/usr/sbin:/usr/bin", "HOME": "/root", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "NETIF": near,
       "LOCAL_V4": "192.0.2.1", "LOCAL_V6": "2001:db8::1", "REMOTE_V4": "192.0.2.2", "REMOTE_V6": "2001:db8::2",
       "REMOTE_TYPE": "netns", "REMOTE_ARGS": "peer"}
command = ["/usr/bin/timeout", "300", *(["/usr/bin/python3", name] if name.endswith(".py") else ["/usr/bin/bash", name])]
with open("/dev/ttyS1", "w", buffering=1) as out, subprocess.Popen(command, cwd=folder, env=env, text=True,
        errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
    start = time.monotonic()
    for line in run.stdout:
        print(line, end="", flush=True)
        print(json.dumps({"line": line.rstrip()}), file=out)
    print(json.dumps({"exit": run.wait(), "seconds": round(time.monotonic() - start, 1)}), file=out)
RUNNER
direct >/disk/run/direct.sh
step "test $test"
chroot /disk /usr/bin/python3 /run/one_test.py "$test" "$near"
