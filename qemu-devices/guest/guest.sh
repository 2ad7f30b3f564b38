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

# connect_wire NIC MAC ADDRESS FAR_MAC FAR_ADDRESS MTU: the scenario's NIC keeps to this namespace, the card at the other
# end of its wire goes to one of its own. Neighbours are set by hand, so that nothing but TCP crosses the wire.
connect_wire() {
  local near far
  near=$(interface "$2") || fail "no driver took the card $1 ($2)"
  far=$(interface "$4") || fail "no driver took the card at the other end of $1 ($4)"
  mkdir -p "/run/wire/$1"
  echo "$near" >"/run/wire/$1/interface"
  make_peer "$far"
  echo $peer >"/run/wire/$1/peer"
  in_peer sh -c "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
  add_address "$near" "$3/31" "$6"
  in_peer sh -c ". /lib/guest.sh; add_address $far $5/31 $6; arp -s $3 $2"
  arp -s "$5" "$4"
}

# transfer NAME NIC receive|transmit NEAR FAR: runs both ends of a stream; NEAR and FAR are the agent's traffic as JSON, with
# @ for the interface. Reports {"traffic": NAME, "near": {...}, "far": {...}}.
transfer() {
  local name=$1 wire=/run/wire/$2 first second
  peer=$(cat "$wire/peer")
  echo "$4" | sed "s/\"@\"/\"$(cat "$wire/interface")\"/" >"$wire/near.json"
  echo "$5" >"$wire/far.json"
  step "transfer $name"
  peerpath-agent "$(cat "$wire/near.json")" >"$wire/near.out" &
  first=$!
  in_peer peerpath-agent "$(cat "$wire/far.json")" >"$wire/far.out" &
  second=$!
  # An end that fails leaves the other waiting: it is told.
  wait $first || kill $second 2>/dev/null
  wait $second || kill $first 2>/dev/null
  report "{\"traffic\": \"$name\", \"near\": $(document "$wire/near.out"), \"far\": $(document "$wire/far.out")}"
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
