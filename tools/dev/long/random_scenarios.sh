#!/bin/bash
# Random scenarios held to what must be true of every run, and of runs that belong together: 6,000, in two halves at once.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
python3 -B tools/dev/random_scenarios "$program" --cases 3000 --seed 100001 --relations 3 &
first=$!
status=0
python3 -B tools/dev/random_scenarios "$program" --cases 3000 --seed 103001 --relations 3 || status=$?
wait "$first" || status=$?
exit "$status"
