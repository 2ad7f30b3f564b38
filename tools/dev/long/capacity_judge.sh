#!/bin/bash
# What flows reach in random topologies against what links, turns, credits and tags allow: 5,000, in two halves at once.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
python3 -B tools/dev/capacity_judge "$program" --cases 2500 --seed 100001 &
first=$!
status=0
python3 -B tools/dev/capacity_judge "$program" --cases 2500 --seed 102501 || status=$?
wait "$first" || status=$?
exit "$status"
