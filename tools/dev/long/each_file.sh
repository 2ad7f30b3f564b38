#!/bin/bash
# Each file compiled by itself and with every header read from its own text, as the preset dev has it: the builds of
# tools/test share headers between files or precompile them, and could hide that a file lacks one.
set -eu
cd "$(dirname "$0")/../../.."
cmake --preset dev >/dev/null
cmake --build build/dev -j "$(nproc)" --target all benchmarks
