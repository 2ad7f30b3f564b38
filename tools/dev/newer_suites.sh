# apt-get over suites that are newer than this system, with sources, lists and cache of its own. To be sourced.
#
# The system's configuration is only read, for its mirror, keys and proxy; what is installed does not count, and nothing is
# installed. A mirror that lags behind will do: signatures are checked, the date until which they are valid is not. Used
# for what has to be newer than the system: the guest's kernel, QEMU's source.
# shellcheck shell=bash

# private_apt FOLDER SUITE...: afterwards "${apt[@]}" is such an apt-get, whose state is below FOLDER. Fetches the lists of
# the suites when they are missing. Fails with a message when the mirror cannot be reached.
private_apt() {
  local state suite mirror codename keys
  mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
  state=$(cd "$1" && pwd)
  : >"$state/status"
  shift
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # apt-get expands this
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Release: $codename" | head -n 1)
  if [ -z "$mirror" ]; then
    echo "apt has no package lists of $codename on this system, so its mirror is not known: run apt-get update" >&2
    return 1
  fi
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  for suite; do
    printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n\n' "$mirror" "$suite" "$keys"
  done >"$state/new.sources"
  apt=(apt-get -q -o "Dir::Etc::SourceList=$state/private.sources" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root
    -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false)
  if cmp -s "$state/new.sources" "$state/private.sources" && [ -e "$state/fetched" ]; then return 0; fi
  mv "$state/new.sources" "$state/private.sources"
  rm -f "$state/fetched"
  "${apt[@]}" update || { echo "the package lists of $* cannot be fetched: is the package mirror reachable?" >&2; return 1; }
  touch "$state/fetched"
}
