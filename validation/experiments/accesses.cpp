// What kernels do to host memory: loads, stores and atomic operations, by size and by how many are outstanding.
#include <algorithm>

#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/chains.hpp"

namespace peerpath::experiments {
namespace {

/// Runs `kernel`, each run going on at the place where the last one ended.
std::vector<double> run_chains(Bench& bench, const Lab& lab, const char* kernel, gpu::KernelArguments& a,
                               std::uint64_t steps) {
  const auto grid = grid_for(a.chains);
  const auto launch = [&](std::uint64_t count) {
    a.steps = count;
    bench.in.launch(kernel, grid.blocks, grid.threads, a);
    a.first += static_cast<std::uint32_t>(count);
  };
  return time_steps(bench, lab.effort.samples, steps, launch);
}

Measurement read_chains(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  auto a = reading_chains(bench, settings.at("outstanding"), settings.at("request"));
  bench.clear_result();
  Measurement m;
  m.ns = run_chains(bench, lab, "read_chains", a, long_steps_for(a.chains));
  m.bytes = settings.at("request") * settings.at("outstanding");
  m.correct = bench.result() == 0;
  return m;
}

Measurement read_window(Lab& lab, const Settings& settings) {
  constexpr std::uint64_t far_apart = 33 * line_size;
  auto& bench = lab.first();
  gpu::KernelArguments a{.from = bench.host.device_at(),
                         .result = bench.result_at(),
                         .bytes = static_cast<std::uint64_t>(settings.at("window")),
                         .stride = far_apart,
                         .seed = host_seed,
                         .chains = 1,
                         .words = 1};
  bench.clear_result();
  Measurement m;
  m.ns = run_chains(bench, lab, "read_chains", a, steps_for(a.chains));
  m.correct = bench.result() == 0;
  return m;
}

Measurement write_places(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  auto a = chains_of(bench, settings.at("outstanding"), settings.at("request"));
  a.seed = write_seed + static_cast<std::uint64_t>(settings.at("request"));
  Measurement m;
  m.ns = run_chains(bench, lab, "write_places", a, steps_for(a.chains));
  m.bytes = settings.at("request") * settings.at("outstanding");
  m.correct = places_right(bench.host_target.words(), a);
  return m;
}

Measurement add_chains(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  auto a = chains_of(bench, settings.at("outstanding"), 4);
  for (std::uint64_t chain = 0; chain < a.chains; ++chain) bench.host_target.words()[chain * line_size / 4] = 0;
  Measurement m;
  m.ns = run_chains(bench, lab, "add_chains", a, steps_for(a.chains));
  m.correct = true;
  for (std::uint64_t chain = 0; chain < a.chains; ++chain)
    m.correct = m.correct && bench.host_target.words()[chain * line_size / 4] == a.first;
  bench.poison_host(a.chains * line_size);
  return m;
}

std::vector<Settings> with_requests(const Lab& lab, std::initializer_list<std::int64_t> requests, int factor) {
  std::vector<Settings> all;
  for (const auto request : requests)
    for (auto& point : sweep("outstanding", 1, lab.effort.outstanding, factor)) {
      point.values.insert(point.values.begin(), {"request", request});
      all.push_back(std::move(point));
    }
  return all;
}

std::vector<Settings> reads(const Lab& lab) { return with_requests(lab, {32, 64, 128}, 2); }
std::vector<Settings> writes(const Lab& lab) { return with_requests(lab, {4, 8, 16, 32, 64, 128}, 4); }
std::vector<Settings> additions(const Lab& lab) { return sweep("outstanding", 1, lab.effort.outstanding / 2, 2); }
std::vector<Settings> windows(const Lab& lab) {
  return sweep("window", 1 << 16, static_cast<std::int64_t>(lab.effort.largest), 4);
}

}  // namespace

std::vector<Experiment> accesses() {
  return {
      {"read_outstanding",
       "loads of host memory by a GPU: N warps, each with one request of the given size outstanding; two runs of "
       "different length are subtracted",
       reads, read_chains, "", nullptr, true, 3},
      {"read_latency",
       "one dependent load of 4 B after the other, by the window they are spread over: translations and caches on the "
       "way",
       windows, read_window},
      {"write_scattered",
       "stores to host memory, each request to a 128 B line of its own, by size and by number of warps that store",
       writes, write_places},
      {"atomic_outstanding", "dependent atomic additions to host memory, one outstanding for each warp", additions,
       add_chains},
  };
}

}  // namespace peerpath::experiments
