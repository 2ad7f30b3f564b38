#!/bin/bash
# Windows that runs find against windows 20 times as long: 2,000 random scenarios, in two halves at once, and all shipped
# scenarios with their windows removed.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
python3 -B tools/dev/window_judge "$program" --cases 1000 --seed 100001 &
first=$!
status=0
python3 -B tools/dev/window_judge "$program" --cases 1000 --seed 101001 || status=$?
wait "$first" || status=$?
python3 -B tools/dev/window_judge "$program" --shipped scenarios || status=$?
exit "$status"
