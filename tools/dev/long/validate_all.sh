#!/bin/bash
# Every row of the evidence measured again: the results that are kept are those of the program.
cd "$(dirname "$0")/../../.." && exec tools/peerpath/tests/validate_all_test.py build/release/bin/peerpath scenarios --whole
