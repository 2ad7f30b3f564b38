#!/bin/bash
# TCP against ns-3.37: goodput within 3 %, completion times within 5 % in the median, on the cases of validation/ns3/judge.py.
set -eu
# shellcheck source-path=SCRIPTDIR source=../common.sh
. "$(dirname "$0")/../common.sh"
cd "$root"
install_packages validation/ns3/packages.txt
program=$(mktemp -d)/ns3_tcp
trap 'rm -rf "$(dirname "$program")"' EXIT
# Debian's pkg-config files of ns-3 name a path that is not there.
g++ -std=c++17 -O1 -w validation/ns3/tcp.cc -o "$program" \
  -lns3-core -lns3-network -lns3-internet -lns3-point-to-point -lns3-traffic-control -lns3-applications
validation/ns3/judge.py build/release/bin/peerpath "$program"
