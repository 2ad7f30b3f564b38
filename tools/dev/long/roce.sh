#!/bin/bash
# Reliable connections over a channel that loses, repeats and reorders: 10,000 random cases, each message once or reported failed.
set -eu
cd "$(dirname "$0")/../../.."
PEERPATH_ROCE_CASES=10000 build/release/bin/tests/roce_test --gtest_filter='ReliableConnection.Each*'
