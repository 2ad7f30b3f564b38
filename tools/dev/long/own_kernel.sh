#!/bin/bash
# A kernel built from source with the configuration of docs/guides/own-kernel.md passes a scenario on the emulated NIC and the selftest of its
# own tree. Needs what qemu-devices/{build,guest/build,selftests/build} install and make.
# usage: tools/dev/long/own_kernel.sh [SOURCE]
#   SOURCE  a kernel's source tree (default: Debian's newest)
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
source=${1:-}
if [ -z "$source" ]; then
  qemu-devices/guest/fetch-kernel --source
  source=build/guest/source
fi
tree=build/guest/tree-of-guide
mkdir -p "$tree"
make -s -C "$source" O="$(realpath "$tree")" KCONFIG_ALLCONFIG="$(realpath qemu-devices/guest/own-kernel.config)" allnoconfig
# What a newer kernel has renamed or hung on something else would be left out in silence.
if grep '^CONFIG_.*=[ym]' qemu-devices/guest/own-kernel.config | grep -vxF -f "$tree/.config"; then
  echo "the kernel's configuration has not taken these" >&2
  exit 1
fi
make -s -C "$tree" -j"$(nproc)"
"$program" run devmem_tcp/rx_vram --on emulator --kernel "$tree"
qemu-devices/selftests/run --kernel "$tree" hw/devmem.py
