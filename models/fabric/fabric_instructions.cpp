// fabric_instructions CASE MODE PACKETS: plays one load once, to be run under callgrind at N and 2N packets; prints the
// TLPs delivered. Without arguments it lists the cases.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "fabric/bench_cases.hpp"

int main(int argc, char** argv) {
  using namespace peerpath::fabric;
  const std::string_view mode_name = argc == 4 ? argv[2] : "";
  const BenchCase* load = argc == 4 ? find_bench_case(argv[1]) : nullptr;
  for (const auto& mode : enum_names(Mode{}))
    if (load != nullptr && mode.name == mode_name) {
      BenchRun run{*load, mode.value};
      std::cout << run.play(std::strtoll(argv[3], nullptr, 10)) << '\n';
      return 0;
    }
  for (const BenchCase& each : bench_cases()) std::cout << each.name << '\n';
  return argc == 1 ? 0 : 2;
}
