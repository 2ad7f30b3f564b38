#!/bin/bash
# What is installed works on its own: the program finds its scenarios, and a project of somebody else finds the libraries, with
# CMake and with pkg-config.
# usage: tools/dev/install_test.sh BUILD_FOLDER
set -eu -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "$1")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$here/installed" >"$here/log" || { tail -n 20 "$here/log"; fail "cmake --install"; }
mv "$here/installed" "$here/moved"  # nothing may hang on where it was installed first
export PATH=$here/moved/bin:$PATH
cd "$here"

said=$(peerpath run netgpu/zero_copy --set run.measure=100us) ||
  fail "the installed program does not run a scenario by its name"
[[ $said == *195.* ]] || fail "goodput is missing"
# Measurements may lie anywhere; the fitted card comes with the program.
cp -r "$root/validation/data/pcie-bench/nfp6000-1.2GHz_snb-Xeon-E5-2630_dell-t620" lab7
rm lab7/*_sweep_*rnd*
peerpath validate pcie-bench --data lab7 --quiet >"$here/log" || { tail -n 5 "$here/log"; fail "validate pcie-bench --data"; }
for page in share/man/man1/peerpath.1 share/bash-completion/completions/peerpath share/zsh/site-functions/_peerpath \
  share/fish/vendor_completions.d/peerpath.fish; do
  grep -q validate "moved/$page" || fail "$page does not know the command validate"
done
bash -c ". moved/share/bash-completion/completions/peerpath && complete -p peerpath" >/dev/null || fail "bash does not take the completion"

wanted='4KiB: 195.'
scenario=$here/moved/share/peerpath/scenarios/netgpu/zero_copy.json
cmake -S "$root/tools/dev/consumer" -B "$here/consumer" -DCMAKE_PREFIX_PATH="$here/moved" -DCMAKE_BUILD_TYPE=Debug \
  -DOWN_PLATFORM="$root/models/sc/examples/own_platform.cpp" >"$here/log" 2>&1 || { tail -n 20 "$here/log"; fail "find_package(peerpath)"; }
cmake --build "$here/consumer" --parallel >"$here/log" 2>&1 || { tail -n 20 "$here/log"; fail "the project does not compile"; }
[[ $("$here/consumer/consumer" "$scenario") == "$wanted"* ]] || fail "the project's program says something else"
[[ $("$here/consumer/own_platform") == *"all data came back"* ]] || fail "the project's SystemC platform lost data"

export PKG_CONFIG_PATH=$here/moved/lib/pkgconfig:$here/moved/lib/$(uname -m)-linux-gnu/pkgconfig
# shellcheck disable=SC2046  # words are wanted
${CXX:-c++} $(pkg-config --cflags peerpath) "$root/tools/dev/consumer/consumer.cpp" $(pkg-config --libs peerpath) -o by_pkg_config ||
  fail "pkg-config's flags do not link"
[[ $(./by_pkg_config "$scenario") == "$wanted"* ]] || fail "linked by pkg-config, the program says something else"
echo "installed: the program, a CMake project and a pkg-config build work"
