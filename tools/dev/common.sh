# Shared by tools/quickstart, tools/test and the scripts in this folder: messages, packages, parts, builds. To be sourced.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=$(nproc)
# ccache, where there is one, asks the compiler itself for what a file includes: no preprocessing before, which a cold cache
# would have for nothing.
export CCACHE_DEPEND=${CCACHE_DEPEND-1}

say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# Names of the packages in the given lists that are neither installed nor made unnecessary by a command.
missing_packages() {
  local package command
  cat "$@" | while read -r package command; do
    case $package in '' | '#'*) continue ;; esac
    if [ -n "$command" ] && command -v "$command" >/dev/null; then continue; fi
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# install_packages LIST...: installs what is missing, and touches neither network nor package lists when nothing is.
install_packages() {
  local -a missing
  command -v dpkg-query >/dev/null || die "this is not a Debian system: install what $* name, then run cmake --preset release"
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    die "these packages are missing and there is no sudo to install them with; as root: apt-get install ${missing[*]}"
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root apt-get update -q ||
    die "the package lists cannot be fetched; make a package mirror reachable, or install by hand: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install the packages (its last lines say why): ${missing[*]}"
}

# part TITLE COMMAND...: runs one part of a script and notes its time for show_times.
times=()
part() {
  local title=$1 started=$SECONDS status=0
  shift
  say "$title"
  "$@" || status=$?
  times+=("$(printf '%5d s  %s' $((SECONDS - started)) "$title")")
  return $status
}

show_times() {
  times+=("$(printf '%5d s  in all' "$SECONDS")")
  say "Time of each part"
  printf '%s\n' "${times[@]}"
}

# configure PRESET [cmake arguments]: quiet unless it fails.
configure() {
  local preset=$1 log
  log=$root/build/configure-$preset.log
  shift
  mkdir -p "$root/build"
  (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; printf '%s: configuring "%s" failed; the whole log is %s\n' "${0##*/}" "$preset" "$log" >&2; return 1; }
}

# build PRESET [targets]; builds what it can when keep_going is 0, as ninja's -k has it.
build() {
  local preset=$1
  shift
  NINJA_STATUS='[%f/%t, %es] ' cmake --build "$root/build/$preset" -j "$jobs" ${1:+--target "$@"} -- -k "${keep_going:-1}"
}
