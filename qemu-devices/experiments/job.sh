# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's job: every backend of peerpath-agent, one after another, in one boot.
modprobe gve; modprobe virtio_net; modprobe virtio_gpu; modprobe ib_uverbs; modprobe rdma_rxe
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
near=192.0.2.2 far=192.0.2.3
connect_wire nic0 02:50:50:00:00:00 $near 02:50:50:01:00:00 $far 4148
nic=$(cat /run/wire/nic0/interface)

# end ROLE API ADDRESS MORE: one end of a stream as JSON.
end() { echo "{\"role\": \"$1\", \"api\": \"$2\", \"address\": \"$3\", \"seed\": 7, \"timeout_s\": 100, $4}"; }
card='"interface": "@", "queue": 1, "memory":'
vram='{"provider": "virtio_gpu"}' pages='{"provider": "host"}'
size='"bytes": 4194304'
transfer "socket virtio-net receive" nic0 transmit "$(end source socket $far "$size")" "$(end sink socket $far "$size")"
transfer "socket nic receive" nic0 receive "$(end sink socket $near "$size")" "$(end source socket $near "$size")"
transfer "devmem vram receive" nic0 receive "$(end sink devmem $near "$size, $card $vram")" "$(end source socket $near "$size")"
transfer "devmem vram transmit" nic0 transmit "$(end source devmem $far "$size, $card $vram")" "$(end sink socket $far "$size")"
transfer "zcrx host receive" nic0 receive "$(end sink zcrx $near "$size, $card $pages")" "$(end source socket $near "$size")"

# RDMA over the NIC's own address: both ends are in this namespace, so the kernel's RDMA device hands packets to itself.
rdma link add rxe0 type rxe netdev "$nic" || report '{"note": "rdma_rxe cannot be put on the NIC"}'
# verbs NAME OPERATION MEMORY BYTES SIZE
verbs() {
  step "transfer $1"
  local rest="\"device\": \"rxe0\", \"operation\": \"$2\", \"memory\": $3, \"bytes\": $4, \"send_size\": $5" source
  peerpath-agent "$(end source verbs $near "$rest")" >/run/source &
  source=$!
  peerpath-agent "$(end sink verbs $near "$rest")" >/run/sink || kill $source 2>/dev/null
  wait $source
  report "{\"traffic\": \"$1\", \"near\": $(document /run/sink), \"far\": $(document /run/source)}"
}
for operation in write read send; do
  verbs "verbs host $operation 64 B" $operation "$pages" 32768 64
  verbs "verbs host $operation 4 KiB" $operation "$pages" 1048576 4096
  verbs "verbs host $operation 1 MiB" $operation "$pages" 1048576 1048576
done
# gpunet NAME WHAT BYTES COUNT: sockets of GPU programs, both ends in one process of this namespace.
gpunet() {
  step "transfer $1"
  gpunet-verbs $near 7100 rxe0 "$2" "$3" "$4" >/run/sink
  report "{\"traffic\": \"$1\", \"near\": $(document /run/sink), \"far\": {}}"
}
gpunet "gpunet stream over verbs" stream 262144 16
gpunet "gpunet words over verbs" words 200000 1
verbs "verbs vram write 4 KiB" write "$vram" 1048576 4096
