#!/bin/bash
# The computed fabric against the event-driven reference: 50,000 random cases, in two halves at once, 0 fs apart.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/fabric_differential
"$program" --cases 25000 --seed 5000001 --mode train &
first=$!
status=0
"$program" --cases 25000 --seed 5025001 --mode train || status=$?
wait "$first" || status=$?
exit "$status"
