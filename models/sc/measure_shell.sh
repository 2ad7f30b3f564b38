#!/bin/sh
# Instructions that the SystemC shell takes for a 4 KiB packet, fabric included: callgrind at N and 2 N packets.
# Usage: measure_shell.sh [BUILD_FOLDER]    (a build of the preset `measured`; needs valgrind)
set -eu
program=${1:-build/measured}/bin/benchmarks/peerpath_shell
[ -x "$program" ] || { echo "no $program: build the target peerpath_shell first" >&2; exit 3; }
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 3; }
packets=${PACKETS:-4000}

instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 >/dev/null |
    sed -n 's/.*Collected : //p'
}
printf '%-10s %-8s %-8s %s\n' quantum fabric DLLPs instructions/packet
for dllp in none counted; do
  for quantum in 1 10; do
    once=$(instructions "$packets" $quantum train $dllp)
    twice=$(instructions $((2 * packets)) $quantum train $dllp)
    printf '%-10s %-8s %-8s %d\n' "$quantum us" train $dllp $(((twice - once) / packets))
  done
done
