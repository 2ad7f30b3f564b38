#!/bin/bash
# Instructions of whole scenarios and of the SystemC shell under callgrind stay within what was reached, which is within what
# docs/performance.md wants.
set -eu
cd "$(dirname "$0")/../../.."
cmake --preset measured >/dev/null
cmake --build build/measured -j "$(nproc)" --target peerpath peerpath_shell benchmarks
status=0

# A packet with the whole NIC in closed loop.
while read -r load most; do
  tools/dev/measure-nic build/measured "$load" | tail -1 |
    awk -v most="$most" '{ print } $2 > most { print "  out of bounds"; exit 1 }' || status=1
done <<EOF
receive 9800
transmit 27000
redirected 20000
EOF

# A whole run, start and report included: at most so many millions.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
while read -r scenario most window; do
  valgrind --tool=callgrind --callgrind-out-file=/dev/null build/measured/bin/peerpath run "scenarios/$scenario.json" \
    $window --quiet --out "$folder" 2>&1 >/dev/null |
    awk -v scenario="$scenario" -v most="$most" '/Collected :/ { n = int($NF / 1000000); print scenario ":", n, "million" }
      END { if (n == 0 || n > most) { print "  out of bounds"; exit 1 } }' || status=1
done <<EOF
netgpu/zero_copy 60
netgpu/zero_copy_4x4 153
netgpu/bounce 1360
netgpu/bounce_both_ways 336 --set run.measure=2120192ns --set expect=[]
EOF

# The reference stays lean: at most 3,000 a TLP over two hops, 6,400 where the host redirects it.
while read -r load most; do
  PACKETS=300 tools/dev/measure-instructions build/measured "$load" | tail -1 |
    awk -v most="$most" '{ print } $2 > most { print "  out of bounds"; exit 1 }' || status=1
done <<EOF
single 3000
redirected 6400
EOF

# At most 3,470 a 4 KiB packet, whatever the batches.
models/sc/measure_shell.sh build/measured | awk '{ print } $NF + 0 > 3470 { print "  out of bounds"; exit 1 }' || status=1
exit $status
