# SPDX-License-Identifier: GPL-2.0-or-later
# What jobs use, inside the guest.

# report JSON: one line to whoever started this guest.
report() { printf '%s\n' "$*" >/dev/ttyS1; }

# step NAME: where we are, on the console.
step() { echo "== $* ($(cut -d' ' -f1 /proc/uptime) s)"; }

# fail WORDS...: ends the job.
fail() {
  report "{\"problem\": \"$*\"}"
  echo "failed: $*"
  exit 1
}

# interface MAC: the name of the network interface with that address, once its driver is there.
interface() {
  local try=0 folder
  while [ $try -lt 50 ]; do
    for folder in /sys/class/net/*; do
      if [ "$(cat "$folder/address" 2>/dev/null)" = "$1" ]; then
        basename "$folder"
        return 0
      fi
    done
    try=$((try + 1))
    sleep 0.1
  done
  return 1
}

# add_address INTERFACE ADDRESS/BITS MTU: sets it and waits until the link carries frames.
add_address() {
  ip link set "$1" mtu "$3"
  ip addr add "$2" dev "$1"
  ip link set "$1" up
  local try=0
  while [ $try -lt 50 ] && [ "$(cat "/sys/class/net/$1/carrier" 2>/dev/null)" != 1 ]; do
    try=$((try + 1))
    sleep 0.1
  done
}

# make_peer INTERFACE: moves the interface into a network namespace of its own; in_peer runs commands there.
make_peer() {
  unshare -n sleep 100000 &
  peer=$!
  sleep 0.2
  ip link set "$1" netns $peer
  in_peer ip link set lo up
}
in_peer() { nsenter -t "$peer" -n "$@"; }
