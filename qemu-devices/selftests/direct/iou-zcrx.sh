# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's iou-zcrx, without hw/iou-zcrx.py around it: that script asks for combined channels, which the driver has not.
# Both ends have to exit with 0; the server compares each byte.
near=$NETIF port=9999 queue=1
cd /selftests/tools/testing/selftests/drivers/net/hw || exit 1
ethtool -G "$near" tcp-data-split on
ethtool -X "$near" equal $queue
ethtool -N "$near" flow-type tcp6 dst-port $port action $queue
echo "TAP version 13"
echo "1..1"
timeout 60 ./iou-zcrx -s -p $port -i "$near" -q $queue &
server=$!
sleep 3
ip netns exec peer timeout 60 ./iou-zcrx -c -h "$LOCAL_V6" -p $port -l 12840
client=$?
wait $server
server=$?
echo "# client exit $client, server exit $server"
if [ $client = 0 ] && [ $server = 0 ]; then echo "ok 1 iou-zcrx.receive"; else echo "not ok 1 iou-zcrx.receive"; fi
