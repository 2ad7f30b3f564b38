// Several GPUs at the same time, and copies from one to another.
#include <algorithm>

#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {
namespace {

constexpr std::int64_t to_device = 1, from_device = 2;  // bits of "ways"

Measurement together(Lab& lab, const Settings& settings) {
  constexpr int copies = 8;
  const auto bytes = std::min(lab.effort.largest, std::size_t{64} << 20);
  const auto gpus = static_cast<std::size_t>(settings.at("gpus"));
  const auto ways = settings.at("ways");
  const auto each_bench = [&](const auto& act) {
    for (std::size_t n = 0; n < gpus; ++n) {
      lab.benches[n]->use();
      act(*lab.benches[n]);
    }
  };
  Measurement m;
  each_bench([&](Bench& bench) {
    bench.poison_host(std::min(bytes, std::size_t{1} << 20));
    bench.in.fill(bench.device_target.at(), 0xff, bytes);
    bench.in.wait();
  });
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    each_bench([&](Bench& bench) {
      bench.hold(bench.in);
      bench.hold(bench.out);
      for (int n = 0; n < copies; ++n) {
        if (ways & to_device) bench.in.to_device(bench.device_target.at(), bench.host.words(), bytes);
        if (ways & from_device) bench.out.from_device(bench.host_target.words(), bench.device.at(), bytes);
      }
    });
    const auto start = now_ns();
    each_bench([](Bench& bench) { bench.release(); });
    each_bench([](Bench& bench) {
      bench.in.wait();
      bench.out.wait();
    });
    if (sample >= 0) m.ns.push_back((now_ns() - start) / copies);
  }
  m.bytes = static_cast<std::int64_t>(gpus * bytes) * (ways == (to_device | from_device) ? 2 : 1);
  m.correct = true;
  each_bench([&](Bench& bench) {
    if (ways & to_device)
      m.correct = m.correct && bench.wrong_on_device(bench.device_target.at(), bytes, host_seed) == 0;
    if (ways & from_device) m.correct = m.correct && bench.right_on_host(bytes, device_seed);
  });
  lab.first().use();
  return m;
}

std::vector<Settings> numbers(const Lab& lab) {
  std::vector<Settings> all;
  for (std::int64_t gpus = 1; gpus <= static_cast<std::int64_t>(lab.gpus.size()); ++gpus)
    for (const std::int64_t ways : {to_device, from_device, to_device | from_device})
      all.push_back({{{"gpus", gpus}, {"ways", ways}}});
  return all;
}

void poison_target(Bench& bench, std::size_t bytes) {
  bench.use();
  bench.in.fill(bench.device_target.at(), 0xff, bytes);
  bench.in.wait();
}

/// From the first GPU to the second through host memory, in chunks: each is on its way down while the next comes up.
Measurement staged(Lab& lab, const Settings& settings) {
  auto& source = *lab.benches[0];
  auto& target = *lab.benches[1];
  const auto chunk = static_cast<std::size_t>(settings.at("chunk"));
  const auto bytes = lab.effort.largest;
  poison_target(target, bytes);
  std::vector<std::unique_ptr<gpu::Event>> landed;
  for (std::size_t n = 0; n < bytes / chunk; ++n) landed.push_back(std::make_unique<gpu::Event>(source.gpu));
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    const auto start = now_ns();
    for (std::size_t n = 0; n < bytes / chunk; ++n) {
      const auto at = n * chunk;
      source.use();
      source.out.from_device(source.host_target.words() + at / 4, source.device.at(at), chunk);
      source.out.record(*landed[n]);
      target.use();
      target.in.wait_for(*landed[n]);
      target.in.to_device(target.device_target.at(at), source.host_target.words() + at / 4, chunk);
    }
    target.in.wait();
    if (sample >= 0) m.ns.push_back(now_ns() - start);
  }
  m.bytes = static_cast<std::int64_t>(bytes);
  m.correct = target.wrong_on_device(target.device_target.at(), bytes, device_seed) == 0;
  source.use();
  return m;
}

std::vector<Settings> chunks(const Lab& lab) {
  if (lab.gpus.size() < 2) return {};
  return sweep("chunk", 1 << 18, static_cast<std::int64_t>(lab.effort.largest), 4);
}

Measurement peer(Lab& lab, const Settings& settings) {
  auto& source = *lab.benches[0];
  auto& target = *lab.benches[1];
  const auto bytes = static_cast<std::size_t>(settings.at("bytes"));
  poison_target(target, bytes);
  source.use();
  Measurement m;
  const auto count = static_cast<int>(std::clamp<std::size_t>((std::size_t{32} << 20) / bytes, 2, 128));
  m.ns = time_queued(source, source.out, lab.effort.samples, count,
                     [&] { source.out.on_device(target.device_target.at(), source.device.at(), bytes); });
  m.bytes = settings.at("bytes");
  target.use();
  m.correct = target.wrong_on_device(target.device_target.at(), bytes, device_seed) == 0;
  source.use();
  return m;
}

std::vector<Settings> peer_sizes(const Lab& lab) {
  if (lab.gpus.size() < 2 || !lab.gpus[0]->connect(*lab.gpus[1]) || !lab.gpus[1]->connect(*lab.gpus[0])) return {};
  return sweep("bytes", 4096, static_cast<std::int64_t>(lab.effort.largest), 4);
}

}  // namespace

std::vector<Experiment> several_gpus() {
  return {
      {"copies_together",
       "copies of 64 MiB by N GPUs at once, to them (ways 1), from them (2) or both (3): the limit of root complex "
       "and memory",
       numbers, together},
      {"staged", "one GPU's memory to another's through host memory, by chunk, up and down overlapped", chunks, staged,
       "two GPUs"},
      {"peer_copy", "one GPU's memory to another's by the copy engine, over whatever connects them", peer_sizes, peer,
       "two GPUs that can reach each other"},
  };
}

}  // namespace peerpath::experiments
