#!/bin/sh
# Results of a scenario are the same bytes at every quantum and with every kind of fabric.
# Usage: same_results.sh PEERPATH SCENARIO [ARGUMENT...]    (arguments go to `peerpath run`)
set -eu
program=$1
scenario=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wanted=$folder/event-100ns/results.json
failures=0

for fabric in event train; do
  for quantum in 100ns 1us 10us; do
    out=$folder/$fabric-$quantum
    status=0
    "$program" run "$scenario" "$@" --fabric $fabric --quantum $quantum --quiet --out "$out" >"$folder/talk" 2>&1 ||
      status=$?
    if [ $status -gt 1 ]; then  # 1: an expectation of a shortened run
      cat "$folder/talk" >&2
      exit $status
    fi
    cmp "$wanted" "$out/results.json" || failures=$((failures + 1))
  done
done
# Equal for lack of anything to tell apart would prove nothing.
grep -Eq '"tlps": [1-9]' "$wanted" || { echo "nothing crossed any link" >&2; exit 1; }
[ $failures -eq 0 ] && echo "the same results in all six runs"
