# A fresh Debian 12 in a folder. To be sourced after common.sh.
# shellcheck shell=bash

# make_debian SYSTEM PACKAGES: of the mirror and proxy of this machine, whatever they are. Ends with 3 where it cannot be made.
make_debian() {
  local system=$1 packages=$2 sources options=() line
  [ "$(id -u)" -eq 0 ] || { echo "needs root, to make another system in a folder" >&2; exit 3; }
  command -v mmdebstrap >/dev/null || { echo "mmdebstrap is missing: apt-get install mmdebstrap" >&2; exit 3; }
  # shellcheck disable=SC2016  # apt-get expands these
  mapfile -t sources < <(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    grep -E ' bookworm(-updates|-security)? main$' | sort -u)
  [ "${#sources[@]}" -gt 0 ] || { echo "no apt sources found on this system: the chroot is made from the same ones" >&2; exit 3; }
  while IFS= read -r line; do options+=("--aptopt=$line"); done < <(apt-config dump | grep -E '^Acquire::https?::Proxy ')
  printf '%s\n' "${sources[@]}" |
    mmdebstrap --quiet --variant=minbase --include="$packages" "${options[@]}" bookworm "$system" - ||
    die "the system could not be made"
  cp -L /etc/resolv.conf "$system/etc/resolv.conf"
  # Who checks certificates inside shall trust what this machine trusts.
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || { mkdir -p "$system/etc/ssl/certs" && cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"; }
}

# in_debian SYSTEM FOLDER COMMAND: as its root, in that folder of it.
in_debian() {
  # Terminals too, as a container has them.
  # shellcheck disable=SC2016  # the shell inside expands it
  unshare --mount --pid --fork --kill-child --mount-proc="$1/proc" sh -c \
    'mkdir -p "$0/dev/pts"; mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts" && ln -sf pts/ptmx "$0/dev/ptmx"
     exec chroot "$0" "$@"' "$1" \
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt bash -c "cd '$2' && $3"
}
