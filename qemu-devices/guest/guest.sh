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

# Which ends of the wires this guest has: both, or, of two guests, the scenario's NICs (near) or the other ends (far).
side=both
# Arguments of tc-netem (of iproute2: busybox has a smaller tc), for what the far ends send.
netem=

# connect_wire NIC MAC ADDRESS FAR_MAC FAR_ADDRESS MTU: the scenario's NIC keeps to this namespace, the card at the other
# end of its wire goes to one of its own. Neighbours are set by hand, so that nothing but TCP crosses the wire.
connect_wire() {
  local card
  mkdir -p "/run/wire/$1"
  if [ $side != far ]; then
    card=$(interface "$2") || fail "no driver took the card $1 ($2)"
    echo "$card" >"/run/wire/$1/interface"
    add_address "$card" "$3/31" "$6"
    arp -s "$5" "$4"
  fi
  if [ $side != near ]; then
    card=$(interface "$4") || fail "no driver took the card at the other end of $1 ($4)"
    make_peer "$card"
    echo $peer >"/run/wire/$1/peer"
    in_peer sh -c "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
    in_peer sh -c ". /lib/guest.sh; add_address $card $5/31 $6; arp -s $3 $2"
    # shellcheck disable=SC2086  # several words
    [ -z "$netem" ] || in_peer /bin/tc qdisc add dev "$card" root netem $netem || fail "netem $netem"
  fi
}

# transfer NAME NIC receive|transmit NEAR FAR: runs the ends of a stream that are in this guest; NEAR and FAR are the agent's
# traffic as JSON, with @ for the interface. Reports {"traffic": NAME, "near": {...}, "far": {...}}.
transfer() {
  local name=$1 wire=/run/wire/$2 first='' second='' text="{\"traffic\": \"$1\""
  step "transfer $name"
  if [ $side != far ]; then
    echo "$4" | sed "s/\"@\"/\"$(cat "$wire/interface")\"/" >"$wire/near.json"
    peerpath-agent "$(cat "$wire/near.json")" >"$wire/near.out" &
    first=$!
  fi
  if [ $side != near ]; then
    peer=$(cat "$wire/peer")
    in_peer peerpath-agent "$5" >"$wire/far.out" &
    second=$!
  fi
  # An end that fails leaves the other waiting: it is told.
  [ -z "$first" ] || wait "$first" || kill $second 2>/dev/null
  [ -z "$second" ] || wait "$second" || kill $first 2>/dev/null
  [ -z "$first" ] || text="$text, \"near\": $(document "$wire/near.out")"
  [ -z "$second" ] || text="$text, \"far\": $(document "$wire/far.out")"
  report "$text}"
}
# document FILE: the JSON in it, or an object that says there is none.
document() { if [ -s "$1" ]; then cat "$1"; else echo '{"problem": "ended without a word"}'; fi; }

# use_vram_module: gives every GPU of peerpath (1af4:1050) to the module that exports VRAM through p2pdma.
use_vram_module() {
  local module=/lib/modules/extra/peerpath_vram.ko device
  [ -e $module ] || fail "the module peerpath_vram is not in the guest: qemu-devices/modules/build, then qemu-devices/guest/build"
  insmod $module || fail "peerpath_vram cannot be loaded"
  for device in /sys/bus/pci/devices/*; do
    [ "$(cat "$device/vendor" "$device/device" | tr '\n' ' ')" = "0x1af4 0x1050 " ] || continue
    echo peerpath_vram >"$device/driver_override"
    [ ! -e "$device/driver" ] || basename "$device" >"$device/driver/unbind"
    basename "$device" >/sys/bus/pci/drivers_probe
  done
}

# report_p2pdma: what the kernel's p2pdma said of each mapping of VRAM.
report_p2pdma() {
  dmesg | sed -n 's/.*peerpath_vram [^ ]*: \(\(mapped\|refused\) for .*\)/\1/p' | while read -r line; do report "{\"p2pdma\": \"$line\"}"; done
}
