#!/bin/bash
# Every host, dataset and published case in one table; some two minutes of a processor.
cd "$(dirname "$0")/../../.." && exec tools/peerpath/tests/validate_all_test.py build/release/bin/peerpath
