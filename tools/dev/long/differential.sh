#!/bin/bash
# The fast fabric engines against the event-driven reference: 50,000 random cases each, 0 fs apart.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/fabric_differential
"$program" --cases 50000 --seed 5000001 --mode tlp &
tlp=$!
status=0
"$program" --cases 50000 --seed 5000001 --mode train || status=$?
wait "$tlp" || status=$?
exit "$status"
