#!/bin/bash
# The intervals of every shipped scenario, with the windows that the files give and with those that are found; a few
# minutes of a processor.
set -eu
cd "$(dirname "$0")/../../.."
tools/dev/shipped_intervals.py build/release/bin/peerpath scenarios --as-shipped
tools/dev/shipped_intervals.py build/release/bin/peerpath scenarios
