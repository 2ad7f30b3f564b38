#!/bin/bash
# Every fuzzer for five minutes, from the corpus that earlier runs in build/asan have found.
set -eu
cd "$(dirname "$0")/../../.."
cmake --preset asan -DPEERPATH_FUZZ_SECONDS=300 >/dev/null
cmake --build build/asan --target fuzzers
status=0
ctest --test-dir build/asan -L fuzz -j "$(nproc)" --output-on-failure || status=$?
cmake --preset asan -DPEERPATH_FUZZ_SECONDS=10 >/dev/null  # tools/test keeps its own length
exit $status
