// fabric_instructions CASE MODE PACKETS [STEP_US]: plays one load once, with `advance` in steps of so many microseconds
// (1), to be run under callgrind at N and 2N packets; prints the TLPs delivered. Without arguments it lists the cases.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "fabric/bench/bench_cases.hpp"

int main(int argc, char** argv) {
  using namespace peerpath::fabric;
  const bool asked = argc == 4 || argc == 5;
  const std::string_view mode_name = asked ? argv[2] : "";
  const BenchCase* load = asked ? find_bench_case(argv[1]) : nullptr;
  const std::chrono::microseconds step{argc == 5 ? std::strtoll(argv[4], nullptr, 10) : 1};
  for (const auto& mode : enum_names(Mode{}))
    if (load != nullptr && mode.name == mode_name && step.count() > 0) {
      BenchRun run{*load, mode.value, step};
      std::cout << run.play(std::strtoll(argv[3], nullptr, 10)) << '\n';
      return 0;
    }
  for (const BenchCase& each : bench_cases()) std::cout << each.name << '\n';
  return argc == 1 ? 0 : 2;
}
