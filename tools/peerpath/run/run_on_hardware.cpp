#include "tools/peerpath/run/run_on_hardware.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tools/peerpath/run/run_sockets.hpp"
#include "validation/backends/gpu/driver.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

std::string gigabits(BitRate rate) { return std::to_string(rate.bps() / 1'000'000'000) + " Gb/s"; }

void find_gpus(Node& node) {
  for (const auto vendor : {gpu_backend::Vendor::cuda, gpu_backend::Vendor::hip}) {
    const auto loaded = gpu_backend::load_driver(vendor);
    int count = 0;
    if (loaded.driver && loaded.driver->init(0) == 0 && loaded.driver->device_count(&count) == 0) node.gpus += count;
    if (!node.no_gpu.empty()) node.no_gpu += "; ";
    node.no_gpu += std::string{gpu_backend::name_of(vendor)} + ": " + (loaded.driver ? "no GPU" : loaded.missing);
  }
}

std::string describe(const scenario::Traffic& traffic) {
  return traffic.name + " (" + std::string{traffic.kind()} + ", " + traffic.from + " to " + traffic.to + ", " +
         std::string{name_of(traffic.path)} + ", " + gigabits(traffic.rate) + ")";
}

}  // namespace

Node examine_node(const std::string& network) {
  Node node;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{network, error}) {
    if (!fs::exists(entry.path() / "device", error)) continue;
    long long megabits = -1;
    std::ifstream{entry.path() / "speed"} >> megabits;
    if (megabits > 0) node.network.emplace_back(megabits * 1'000'000);
  }
  find_gpus(node);
  return node;
}

std::vector<std::string> missing_for(const scenario::Scenario& scenario, const Node& node) {
  std::vector<std::string> missing;
  auto network = node.network;
  int gpus = 0;
  const bool one_is_enough = is_of_sockets(scenario);  // programs of two GPUs can be blocks of one
  for (const auto& device : scenario.devices) {
    if (const auto* nic = std::get_if<device::NicConfig>(&device.config)) {
      const auto found = std::ranges::find_if(network, [&](BitRate speed) { return speed >= nic->wire_rate; });
      if (found == network.end())
        missing.push_back(device.name + ": no network interface of " + gigabits(nic->wire_rate) + " here");
      else
        network.erase(found);
    }
    if (std::holds_alternative<device::GpuConfig>(device.config) && ++gpus > node.gpus &&
        !(one_is_enough && node.gpus > 0))
      missing.push_back(device.name + ": no GPU for it (" + node.no_gpu + ")");
  }
  if (std::ranges::any_of(scenario.devices, [](const auto& d) { return !scenario::host_of(d.name).empty(); }))
    missing.emplace_back("the scenario has several hosts; a run on hardware uses only the host it is started on");
  return missing;
}

Waiver missing_on_node(const RunArguments& /*wanted*/, const study::Subject& subject) {
  const auto& scenario = subject.host()->scenario;
  Waiver waiver{missing_for(scenario, examine_node()), {}, {}};
  if (is_of_sockets(scenario)) {
    for (auto& reason : not_played(scenario)) waiver.reasons.push_back(std::move(reason));
  } else if (waiver.reasons.empty()) {
    waiver.reasons.emplace_back(
        "the equipment is present, but traffic between nodes must be started by hand: run peerpath-agent on both");
  }
  for (const auto& traffic : scenario.traffic) waiver.would_run.push_back(describe(traffic));
  waiver.advice = "without a NIC, `peerpath measure` can still measure the GPUs over PCIe";
  return waiver;
}

Exit run_on_hardware(RunTask task, Terminal& terminal) {
  return run_sockets(task.subject.host()->scenario, task.wanted.output.json, terminal);
}

}  // namespace peerpath::cli
