#!/bin/bash
# What `peerpath validate pcie-bench` says of every host is what docs/validation.md says; some three minutes of a processor.
cd "$(dirname "$0")/../../.." && exec python3 -B validation/pcie_bench/validate_cli_test.py build/release/bin/peerpath . --all
