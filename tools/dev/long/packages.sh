#!/bin/bash
# The Python module passes its tests, the Debian packages can be made, and in a fresh Debian with nothing but them the program and the
# module run a scenario.
# usage: tools/dev/long/packages.sh
# Without root or mmdebstrap the packages are only unpacked, and the program runs from there.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source-path=SCRIPTDIR source=../common.sh
. tools/dev/common.sh
# shellcheck source-path=SCRIPTDIR source=../chroot.sh
. tools/dev/chroot.sh
build=build/python
configure python
build python peerpath_installable
ctest --test-dir "$build" -R '^python_' --output-on-failure --no-tests=error
here=$(mktemp -d)
trap 'rm -rf --one-file-system "$here"' EXIT
rm -rf "$build/packages"
(cd "$build" && cpack -G DEB >"$here/log" 2>&1) || { tail -n 20 "$here/log"; exit 1; }
for package in "$build"/packages/*.deb; do
  dpkg-deb --info "$package" | grep -E '^ (Package|Version|Depends|Installed-Size)'
  dpkg-deb -x "$package" "$here/unpacked"
done
test -f "$here/unpacked/usr/include/peerpath/platform/run.hpp"
(cd "$here" && unpacked/usr/bin/peerpath run netgpu/zero_copy --set run.measure=100us >said) || { cat "$here/said"; exit 1; }
grep -q 'rx.*195\.' "$here/said"

if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
  echo "not tried in a fresh Debian: that needs root and mmdebstrap"
  exit 0
fi
system=$here/debian
say "A fresh Debian 12"
make_debian "$system" ca-certificates
mkdir "$system/packages"
cp "$build"/packages/*.deb "$system/packages/"
run_inside() {
  say "$1"
  in_debian "$system" /root "$1" || die "failed in the fresh system: $1"
}
# The development package draws in compilers; the consumer project of ctest's `installed` tries what it holds.
rm -f "$system"/packages/libpeerpath-dev_*
run_inside 'apt-get update -q >/dev/null && apt-get install -q -y --no-install-recommends /packages/*.deb >/root/log 2>&1 || { tail /root/log; false; }'
run_inside 'peerpath run netgpu/zero_copy | grep "rx.*195\."'
run_inside 'gzip -dc /usr/share/man/man1/peerpath.1* 2>/dev/null | grep -q sweep || grep -q sweep /usr/share/man/man1/peerpath.1'
for file in bash-completion/completions/peerpath zsh/site-functions/_peerpath fish/vendor_completions.d/peerpath.fish; do
  run_inside "grep -q sweep /usr/share/$file"
done
if ls "$system"/packages/python3-peerpath_* >/dev/null 2>&1; then
  run_inside "python3 -c 'import peerpath; r = peerpath.run(\"netgpu/zero_copy\"); print(r); assert r.passed; s = peerpath.sweep(\"netgpu/zero_copy\", {\"nic0.queues\": [4, 8]}); print(s[\"rx.goodput_gbps\"]); assert (s.status == \"ok\").all()'"
else
  echo "no Python module: it was not built (PEERPATH_PYTHON, pybind11-dev, python3-dev)"
fi
