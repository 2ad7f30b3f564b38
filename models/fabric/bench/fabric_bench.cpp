// TLPs a second of each kind of fabric under each load, played for a while and for ten times as long, the making of the
// fabric included; "real" is against 96.3 million, one 200 Gb/s flow.
#include <benchmark/benchmark.h>

#include <string>

#include "fabric/bench/bench_cases.hpp"

namespace {

using namespace peerpath::fabric;

constexpr double tlps_per_second_at_200g = 96.3e6;

void play(benchmark::State& state, const BenchCase& load, Mode mode) {
  std::int64_t tlps = 0;
  for (auto _ : state) {
    BenchRun run{load, mode};
    tlps += run.play(state.range(0));
  }
  state.SetItemsProcessed(tlps);
  state.counters["real"] =
      benchmark::Counter(static_cast<double>(tlps) / tlps_per_second_at_200g, benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const BenchCase& load : bench_cases())
    for (const auto& mode : peerpath::fabric::enum_names(Mode{}))
      benchmark::RegisterBenchmark((std::string(load.name) + "/" + std::string(mode.name)).c_str(),
                                   [&load, m = mode.value](benchmark::State& state) { play(state, load, m); })
          ->ArgName("packets")
          ->Arg(2000)
          ->Arg(20000);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
