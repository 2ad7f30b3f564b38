#!/bin/bash
# The intervals of every shipped scenario with the window that is found; a few minutes of a processor.
cd "$(dirname "$0")/../../.." && exec tools/dev/shipped_intervals.py build/release/bin/peerpath scenarios
