#!/bin/bash
# Pages of the report in Chromium, light and dark, at 1280 and 390 px: runs of topologies of 2, 8 and 40 devices, two runs over each other
# and a sweep of each, runs and a sweep of shipped scenarios, and measured against predicted curves. Needs chromium, chromedriver and npm. Leaves pictures in build/report_pages.
set -eu
cd "$(dirname "$0")/../../.."
program=build/release/bin/peerpath
out=build/report_pages
rm -rf "$out" && mkdir -p "$out"
for devices in 2 8 40; do
  python3 - "$devices" > "$out/$devices.json" <<'END'
import json, sys
count = int(sys.argv[1])
gpus = [f"gpu{n}" for n in range(count)]
switches = [f"sw{n}" for n in range((count + 3) // 4)]
print(json.dumps({
    "description": f"{count} GPUs, four a switch, each writing to the next one",
    "extends": "../../scenarios/hardware/epyc_9004_host.json",
    "devices": {**{switch: {"extends": "../../scenarios/hardware/gen5_switch.json"} for switch in switches},
                **{gpu: {"extends": "../../scenarios/hardware/h200.json"} for gpu in gpus}},
    "links": [{"from": "rc", "to": switch} for switch in switches] +
             [{"from": switches[n // 4], "to": gpu} for n, gpu in enumerate(gpus)],
    "traffic": [{"name": f"w{n}", "kind": "write", "from": gpus[n], "to": gpus[(n + 1) % count], "rate": f"{20 + 10 * (n % 9)}Gbps",
                 "sizes": "4KiB"} for n in range(min(count, 12))],
    "run": {"warmup": "10us", "measure": "20us"}}))
END
  "$program" run "$out/$devices.json" --trace series --out "$out/run$devices" --quiet
  cp "$out/run$devices/report.html" "$out/devices$devices.html"
  "$program" run "$out/$devices.json" --set 'traffic.w1.rate=200Gbps' --trace series --out "$out/other$devices" --quiet
  "$program" report "$out/run$devices" --with "$out/other$devices" -o "$out/overlay$devices.html"
  "$program" sweep "$out/$devices.json" --set run.measure=5us --vary 'links.gpu0.width=4,8,16' --vary 'links.gpu1.generation=3..5' \
    --out "$out/sweep$devices.sqlite" --quiet
  "$program" report "$out/sweep$devices.sqlite" -o "$out/sweep$devices.html"
done
"$program" sweep netgpu/zero_copy --set run.measure=20us --set 'expect=[]' --vary 'nic0.queues=1..8*2' --vary nic0.mps=128,256 \
  --vary 'traffic.rx.rate=100Gbps..200Gbps*2' --out "$out/sweep.sqlite" --quiet
"$program" report "$out/sweep.sqlite" -o "$out/sweep.html"
for scenario in netgpu/zero_copy gpunet/echo gpunet/stream roce/incast_dcqcn roce/pause_deadlock meta_roce/all_reduce_wrong_switch; do
  "$program" run "$scenario" --out "$out/run_${scenario##*/}" --quiet
  cp "$out/run_${scenario##*/}/report.html" "$out/${scenario##*/}.html"
done
"$program" sweep meta_roce/all_reduce_ecmp_qp --set 'expect=[]' --set collectives.0.bytes=4MiB --vary collectives.0.qps=1,2,4,8 \
  --out "$out/network.sqlite" --quiet
"$program" report "$out/network.sqlite" -o "$out/network.html"
"$program" report "$out/sweep.sqlite" --metric rx.latency_p99_ns -o "$out/latency.html"
"$program" validate validation/data/h200/one_gpu.jsonl -o "$out/curves.html" --quiet >/dev/null || true
npm install --prefix "$out/npm" --no-save --silent axe-core@4.10.3
python3 -B tools/report/browser_test.py "$out/npm/node_modules/axe-core/axe.min.js" "$out/pictures" "$out"/*.html
