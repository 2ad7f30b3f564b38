// A small results.json for the tests of this folder.
#pragma once

namespace peerpath::report {

inline constexpr const char* sample_results = R"json({
  "schema_version": 1, "peerpath": "0.1.0", "name": "netgpu/<sample>", "complete": true, "simulated_ns": 200000, "wanted_ns": 200000,
  "bottleneck": "link nic0-sw0 up, busy 80 % of the time",
  "expectations": [{"metric": "rx.goodput_gbps", "wanted": "= 195.7", "found": 195.7, "unit": "Gb/s", "ok": true}],
  "metrics": [
    {"name": "rx.goodput_gbps", "value": 195.7, "unit": "Gb/s", "doc": "User data at its destination"},
    {"name": "rx.latency_p50_ns", "value": 1234.5, "unit": "ns", "doc": "Median latency"},
    {"name": "nic0-sw0.up.utilisation_percent", "value": 80, "unit": "%", "doc": ""},
    {"name": "nic0-sw0.up.wire_gbps", "value": 204.1, "unit": "Gb/s", "doc": ""}],
  "traffic": [{"name": "rx", "kind": "receive", "path": "zero_copy", "from": "nic0", "to": "gpu0",
               "way": "nic0 -> sw0 -> gpu0", "latency_fs": {"1200000000": 90, "1300000000": 10}}],
  "utilisation": [{"name": "link nic0-sw0 up", "percent": 80}],
  "ledger": [
    {"link": "sw0-rc", "direction": "up", "nearer": "rc", "farther": "sw0", "shape": "Gen5 x16", "rate_bps": 500, "dllps": 1, "rows": []},
    {"link": "sw0-rc", "direction": "down", "nearer": "rc", "farther": "sw0", "shape": "Gen5 x16", "rate_bps": 500, "dllps": 1, "rows": []},
    {"link": "nic0-sw0", "direction": "up", "nearer": "sw0", "farther": "nic0", "shape": "Gen5 x16", "rate_bps": 500, "dllps": 1,
     "rows": [{"requester": "nic0", "purpose": "payload", "tlps": 1600, "data_bytes": 4096000, "overhead_bytes": 32000}]},
    {"link": "gpu0-sw0", "direction": "up", "nearer": "sw0", "farther": "gpu0", "shape": "Gen5 x16", "rate_bps": 500, "dllps": 1, "rows": []}],
  "conservation": {"holds": true, "violations": []}, "bar1": [], "faults": [],
  "aer": [], "deadlock": null,
  "scenario": {"description": "a & b", "devices": {"nic0": {"kind": "nic"}}, "run": {"seed": 1}},
  "origins": {"/run/seed": {"from": "x.json:3:5"}}
})json";

}  // namespace peerpath::report
