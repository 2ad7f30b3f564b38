#!/bin/bash
# The fast fabric engines against the event-driven reference: 50,000 random cases each, 0 fs apart. Seed 1.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/fabric_differential
for mode in tlp train; do
  "$program" --cases 50000 --seed 1 --mode "$mode"
done
