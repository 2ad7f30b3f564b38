#!/bin/bash
# 10,000 random programs of socket calls against plain sockets, as many under AddressSanitizer and 2,000 under
# ThreadSanitizer; the face server with 2,000 requests.
set -eu
cd "$(dirname "$0")/../../.."
out=build/gpunet-long
validation/gpunet/run/build-gpu "$out/plain" >/dev/null
validation/gpunet/run/build-gpu "$out/address" -g -fsanitize=address,undefined -fno-sanitize-recover=all >/dev/null
# Inlined memcpy and its kin would escape ThreadSanitizer.
validation/gpunet/run/build-gpu "$out/thread" -g -fsanitize=thread -fno-builtin >/dev/null
"$out/plain/peerpath-gpunet" --programs 10000 --seed 1000000 programs
"$out/address/peerpath-gpunet" --programs 10000 --seed 2000000 programs
"$out/thread/peerpath-gpunet" --programs 2000 --seed 3000000 --threads 3 programs
"$out/thread/peerpath-gpunet" --nodes 2 --blocks 2 --bytes 70000 --rounds 200 echo echo-many words
validation/gpunet/peers/faces.py "$out/plain/peerpath-gpunet" --requests 2000
TSAN_OPTIONS=halt_on_error=1 validation/gpunet/peers/faces.py "$out/thread/peerpath-gpunet" --requests 200
