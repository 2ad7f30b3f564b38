#!/bin/bash
# The Debian packages can be made, and the program in them runs from where it is unpacked.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
(cd build/release && cpack -G DEB >"$here/log" 2>&1) || { tail -n 20 "$here/log"; exit 1; }
for package in build/release/packages/*.deb; do
  dpkg-deb --info "$package" | grep -E '^ (Package|Version|Depends|Installed-Size)'
  dpkg-deb -x "$package" "$here/system"
done
cd "$here"
system/usr/bin/peerpath run netgpu/zero_copy --set run.measure=100us >said || { cat said; exit 1; }
grep -q 'rx.*195\.' said
test -f system/usr/include/peerpath/platform/run.hpp
