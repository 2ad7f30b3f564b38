#!/bin/bash
# Every planted bottleneck: the sentence names it, and reruns prove it. And 1,000 random scenarios whose packets' stages sum to
# their latency.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
status=0
python3 -B tools/peerpath/tests/what_if_test.py "$program" scenarios --all || status=$?
python3 -B tools/dev/random_scenarios "$program" --cases 1000 --seed 200001 --only stages_sum_to_the_latency || status=$?
exit "$status"
