#!/bin/bash
# Holds the level of flows to the level of packets on the jobs of 128 GPUs, within 10 %, and plays 24,000 GPUs.
# usage: flows.sh [BUILD]     a release build; ends with "flows: N of M within 10 %"
set -euo pipefail
cd "$(dirname "$0")/../../.."
peerpath=${1:-build/release}/bin/peerpath
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

time_of() { # level, scenario, changes
  local level=$1
  shift
  "$peerpath" run "$@" --set run.level="$level" --set expect=[] --out "$out/$level" 2>"$out/said" | awk '$1 ~ /time_us$/ { print $2 }'
}

cases=0 good=0
compare() {
  local packets flows
  packets=$(time_of packets "$@")
  flows=$(time_of flows "$@")
  cases=$((cases + 1))
  awk -v p="$packets" -v f="$flows" -v name="$*" \
    'BEGIN { off = (f / p - 1) * 100; printf "%10.1f %10.1f %+6.1f %%  %s\n", p, f, off, name; exit off > 10 || off < -10 }' &&
    good=$((good + 1)) || true
}

echo "   packets      flows   off       job"
for job in all_reduce_ecmp all_reduce_pinned all_reduce_failed_uplink all_reduce_wrong_switch all_reduce_acs_redirect all_reduce_mps128 \
           all_to_all_ecmp all_to_all_ecmp_qp all_to_all_pinned admitted unadmitted; do
  compare "meta_roce/$job"
done
for qps in 1 2 4 8 16 32; do compare meta_roce/all_reduce_ecmp_qp --set "collectives.0.qps=$qps"; done
for seed in 2 3; do compare meta_roce/all_reduce_ecmp --seed $seed; done

begin=$SECONDS
"$peerpath" run meta_roce/all_reduce_flows --set network.clos.clusters=10 --set network.clos.racks=150 --set network.clos.aggregations=22 \
  --set collectives.0.hosts=h0..h23999 --set expect=[] \
  --out "$out/large" 2>"$out/said" | grep -E "time_us|steps were played"
echo "24,000 GPUs: $((SECONDS - begin)) s"
echo "flows: $good of $cases within 10 %"
[ "$good" = "$cases" ]
