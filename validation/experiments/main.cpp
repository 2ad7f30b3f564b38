// peerpath-measure: `peerpath measure` as a program of its own, for a machine that has a compiler and no packages.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "validation/experiments/measure.hpp"

namespace {

constexpr const char* help =
    "usage: peerpath-measure [-o|--out FILE] [--backend cuda|hip] [--kernels FILE] [--library FILE] [--only NAME]...\n"
    "                        [--peer ADDRESS[:PORT]] [--agent FILE] [--quick] [--list] [-h|--help]\n"
    "                        [--launch KERNEL:REQUEST:WARPS:STEPS]...\n"
    "Measures the GPUs of this machine over PCIe, and its NIC towards a peer where\n"
    "`peerpath-agent --serve` runs; writes a dataset, a line of JSON for each point.\n"
    "--launch runs a kernel (read_chains, write_places) once and measures nothing: for a profiler.\n";

int wrong(const std::string& sentence) {
  std::fprintf(stderr, "%s\n%s", sentence.c_str(), help);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace peerpath;
  experiments::MeasureOptions options;
  std::vector<experiments::Launch> launches;
  options.command = "peerpath-measure";
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];  // of a path, the last part: a dataset says nothing of folders
    const bool names_machine = std::string_view{argv[n - 1]} == "--peer";  // nor of other machines
    options.command += " " + (names_machine ? "PEER" : word.substr(word.rfind('/') + 1));
  }
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    if (word == "-h" || word == "--help") return std::fputs(help, stdout), 0;
    if (word == "--list") return std::fputs(experiments::list_experiments().c_str(), stdout), 0;
    if (word == "--quick") {
      options.effort.samples = 5;
      options.effort.rounds = 40;
      continue;
    }
    if (n + 1 == argc) return wrong("'" + word + "' is unknown or lacks its value");
    const std::string value = argv[++n];
    if (word == "-o" || word == "--out") {
      options.out = value;
    } else if (word == "--kernels") {
      options.kernels = value;
    } else if (word == "--library") {
      options.library = value;
    } else if (word == "--peer") {
      options.nic.peer = value;
    } else if (word == "--agent") {
      options.nic.agent = value;
    } else if (word == "--only") {
      options.only.push_back(value);
    } else if (word == "--launch") {
      const auto launch = experiments::read_launch(value);
      if (!launch) return wrong("--launch takes KERNEL:REQUEST:WARPS:STEPS, not '" + value + "'");
      launches.push_back(*launch);
    } else if (word == "--backend") {
      const auto vendor = gpu_backend::vendor_named(value);
      if (!vendor) return wrong("--backend takes cuda or hip, not '" + value + "'");
      options.vendor = *vendor;
    } else {
      return wrong("'" + word + "' is unknown");
    }
  }
  const auto say = [](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
  const auto end =
      launches.empty() ? experiments::measure(options, say) : experiments::launch_once(options, launches, say);
  constexpr int status[] = {0, 1, 2, 3};  // by MeasureEnd
  return status[static_cast<int>(end)];
}
