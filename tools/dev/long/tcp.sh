#!/bin/bash
# TCP over a channel that loses, repeats and reorders: 10,000 random cases, every byte once and in order.
set -eu
cd "$(dirname "$0")/../../.."
PEERPATH_TCP_CASES=10000 build/release/bin/tests/tcp_test --gtest_filter='TcpConnection.Each*'
