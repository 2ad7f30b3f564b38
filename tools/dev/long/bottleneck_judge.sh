#!/bin/bash
# Limits that are named, held to runs with twice of them: 300 random scenarios, the rows of --what-if of the first 100; 20 networks.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
status=0
python3 -B tools/dev/bottleneck_judge "$program" --cases 300 --seed 1 --what-if 100 || status=$?
python3 -B tools/dev/bottleneck_judge "$program" --networks 20 --cases 0 || status=$?
exit "$status"
