#!/bin/bash
# Random networks held to what must be true of every run, and of runs that belong together: 2,000, in two halves at once. Then
# each option of networks: it changes a figure, or is refused.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
python3 -B tools/dev/random_networks "$program" --cases 1000 --seed 100001 &
first=$!
status=0
python3 -B tools/dev/random_networks "$program" --cases 1000 --seed 101001 || status=$?
wait "$first" || status=$?
python3 -B tools/dev/random_networks/keys.py "$program" || status=$?
exit "$status"
