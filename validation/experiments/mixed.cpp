// Several kinds of traffic at the same time: how far the model carries. No law is fitted to these; three points of one
// set tell two keys of a GPU, and the curves of another how kernels and engines take turns (docs/validation.md).
#include <algorithm>
#include <span>

#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/chains.hpp"

namespace peerpath::experiments {
namespace {

constexpr std::int64_t writers = 1024;  // warps that store

std::size_t copy_size(const Lab& lab) { return std::min(lab.effort.largest, std::size_t{64} << 20); }

void launch_chains(gpu::Stream& stream, const char* kernel, const gpu::KernelArguments& a) {
  const auto grid = grid_for(a.chains);
  stream.launch(kernel, grid.blocks, grid.threads, a);
}

/// Steps of chains whose reads are timed beside something else: some milliseconds, over which its share is even.
std::uint64_t steps_beside(std::int64_t chains) { return steps_for(chains) * (chains < 1000 ? 24 : 12); }

/// Copies that outlast those steps, and a third of them before.
int copies_beside(std::int64_t chains) {
  constexpr double least = 3500, service = 4.9, copy = 1.2e6;  // ns: a step, a read of many, 64 MiB
  const auto step = std::max(least, service * static_cast<double>(chains));
  const auto reads = 1.4 * static_cast<double>(steps_beside(chains)) * step;
  return static_cast<int>(reads / copy) + 2;
}

/// Steps of reading chains that take about so long beside something else.
std::uint64_t steps_in(double ns, std::int64_t chains) {
  constexpr double latency = 1300, service = 2.6;
  return static_cast<std::uint64_t>(ns / std::max(latency, service * static_cast<double>(chains))) + 1;
}

/// Nanoseconds of a step of reading chains of `bench` while other traffic goes on, from runs of `steps`: milliseconds,
/// beside which a launch is nothing. `hold_and_queue` and `release` are about all streams that take part.
template <class Hold, class Release, class Wait>
std::vector<double> time_reads(Bench& bench, int samples, gpu::KernelArguments& a, std::uint64_t steps,
                               const Hold& hold_and_queue, const Release& release, const Wait& wait) {
  const gpu::Event start{bench.gpu}, end{bench.gpu};
  const auto read = [&](std::uint64_t count) {
    a.steps = count;
    launch_chains(bench.in, "read_chains", a);
    a.first += static_cast<std::uint32_t>(count);
  };
  std::vector<double> ns;
  for (int sample = -1; sample < samples; ++sample) {
    hold_and_queue();
    bench.use();
    bench.hold(bench.in);
    read(steps / 3 + 1);  // until the other has begun as well
    bench.in.record(start);
    read(steps);
    bench.in.record(end);
    release();
    bench.use();
    end.wait();
    wait();
    if (sample >= 0) ns.push_back(end.since(start) / static_cast<double>(steps));
  }
  return ns;
}

/// Chains of reads while what `queue` puts into the other stream of the same GPU goes on.
template <class Queue>
Measurement reads_beside(Lab& lab, std::int64_t outstanding, std::uint64_t steps, const Queue& queue) {
  auto& bench = lab.first();
  auto chains = reading_chains(bench, outstanding);
  bench.clear_result();
  Measurement m;
  m.ns = time_reads(
      bench, lab.effort.samples, chains, steps,
      [&] {
        bench.hold(bench.out);
        queue(bench);
      },
      [&] { bench.release(); }, [&] { bench.out.wait(); });
  m.bytes = 128 * outstanding;
  m.correct = bench.result() == 0;
  return m;
}

template <Way way>
Measurement read_beside_copy(Lab& lab, const Settings& settings) {
  const auto bytes = copy_size(lab);
  const auto outstanding = settings.at("outstanding");
  const auto copies = copies_beside(outstanding);
  auto m = reads_beside(lab, outstanding, steps_beside(outstanding), [&](Bench& bench) {
    for (int n = 0; n < copies; ++n) bench.queue_copy(bench.out, way, bytes);
  });
  m.correct = m.correct && lab.first().copied_right(way, bytes);
  return m;
}

template <Way way>
Measurement copy_beside_read(Lab& lab, const Settings& settings) {
  constexpr int copies = 3;
  auto& bench = lab.first();
  const auto bytes = copy_size(lab);
  const auto outstanding = settings.at("outstanding");
  auto a = reading_chains(bench, outstanding);
  a.steps = steps_in(30e6 * static_cast<double>(bytes) / (64 << 20), outstanding);
  bench.clear_result();
  const gpu::Event start{bench.gpu}, end{bench.gpu};
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    bench.hold(bench.in);
    bench.hold(bench.out);
    launch_chains(bench.in, "read_chains", a);
    a.first += static_cast<std::uint32_t>(a.steps);
    bench.queue_copy(bench.out, way, bytes);
    bench.out.record(start);
    for (int n = 0; n < copies; ++n) bench.queue_copy(bench.out, way, bytes);
    bench.out.record(end);
    bench.release();
    end.wait();
    bench.in.wait();
    if (sample >= 0) m.ns.push_back(end.since(start) / copies);
  }
  m.bytes = static_cast<std::int64_t>(bytes);
  m.correct = bench.result() == 0 && bench.copied_right(way, bytes);
  return m;
}

Measurement read_beside_write(Lab& lab, const Settings& settings) {
  // ns that the stores take, and one of them beside the rest: they have to outlast reads that wait behind them.
  constexpr double longest = 80e6, store = 2.6;
  auto& first = lab.first();
  auto stores = chains_of(first, settings.at("writers"));
  stores.seed = write_seed;
  const auto share = static_cast<double>(first.host.size()) / (256 << 20);
  stores.steps =
      static_cast<std::uint64_t>(longest * share / (store * static_cast<double>(settings.at("writers")))) + 1;
  return reads_beside(lab, settings.at("outstanding"), 3 * steps_for(settings.at("outstanding")),
                      [&](Bench& bench) { launch_chains(bench.out, "write_places", stores); });
}

/// GPUs that take part: two where the point does not say.
std::size_t gpus_of(const Settings& settings) {
  const auto found = std::ranges::find(settings.values, "gpus", &std::pair<std::string_view, std::int64_t>::first);
  return found == settings.values.end() ? 2 : static_cast<std::size_t>(found->second);
}

Measurement reads_together(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  const std::span others{lab.benches.data() + 1, gpus_of(settings) - 1};
  auto a = reading_chains(bench, settings.at("outstanding"));
  const auto steps = steps_beside(a.chains);
  std::vector<gpu::KernelArguments> theirs;
  for (const auto& other : others) {
    theirs.push_back(reading_chains(*other, settings.at("outstanding")));
    theirs.back().steps = 3 * steps;
  }
  bench.clear_result();
  Measurement m;
  m.ns = time_reads(
      bench, lab.effort.samples, a, steps,
      [&] {
        for (std::size_t n = 0; n < others.size(); ++n) {
          others[n]->use();
          others[n]->hold(others[n]->in);
          launch_chains(others[n]->in, "read_chains", theirs[n]);
        }
      },
      [&] {
        for (const auto& other : others) other->release();
        bench.release();
      },
      [&] {
        for (const auto& other : others) {
          other->use();
          other->in.wait();
        }
        bench.use();
      });
  m.bytes = 128 * settings.at("outstanding");
  m.correct = bench.result() == 0;
  return m;
}

Measurement read_between(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  auto a = reading_chains(bench, settings.at("outstanding"), settings.at("request"));
  bench.clear_result();
  Measurement m;
  m.ns = time_steps(bench, lab.effort.samples, long_steps_for(a.chains), [&](std::uint64_t steps) {
    a.steps = steps;
    launch_chains(bench.in, "read_chains", a);
    a.first += static_cast<std::uint32_t>(steps);
  });
  m.bytes = settings.at("request") * settings.at("outstanding");
  m.correct = bench.result() == 0;
  return m;
}

/// To the first half of the GPUs and from the second.
Measurement opposite_copies(Lab& lab, const Settings& settings) {
  constexpr int copies = 8;
  const auto bytes = static_cast<std::size_t>(settings.at("bytes"));
  const auto gpus = gpus_of(settings);
  const auto each = [&](const auto& act) {
    for (std::size_t n = 0; n < gpus; ++n) {
      lab.benches[n]->use();
      act(*lab.benches[n], n < gpus / 2 ? Way::to_device : Way::from_device);
    }
  };
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    each([&](Bench& bench, Way way) {
      bench.hold(bench.out);
      for (int n = 0; n < copies; ++n) bench.queue_copy(bench.out, way, bytes);
    });
    const auto start = now_ns();
    for (std::size_t n = 0; n < gpus; ++n) lab.benches[n]->release();
    each([](Bench& bench, Way) { bench.out.wait(); });
    if (sample >= 0) m.ns.push_back((now_ns() - start) / copies);
  }
  m.bytes = static_cast<std::int64_t>(gpus) * settings.at("bytes");
  m.correct = true;
  each([&](Bench& bench, Way way) { m.correct = bench.copied_right(way, bytes) && m.correct; });
  lab.first().use();
  return m;
}

/// From each GPU of a pair to the other through host memory, all pairs at once.
Measurement staged_both_ways(Lab& lab, const Settings& settings) {
  const auto chunk = static_cast<std::size_t>(settings.at("chunk"));
  const auto bytes = lab.effort.largest;
  struct Part {
    Bench *source, *target;
    std::vector<std::unique_ptr<gpu::Event>> landed{};
  };
  std::vector<Part> parts;
  for (std::size_t n = 0; n + 1 < gpus_of(settings); n += 2) {
    parts.push_back({lab.benches[n].get(), lab.benches[n + 1].get()});
    parts.push_back({lab.benches[n + 1].get(), lab.benches[n].get()});
  }
  for (auto& part : parts) {
    part.target->use();
    part.target->in.fill(part.target->device_target.at(), 0xff, bytes);
    part.target->in.wait();
    part.source->use();
    for (std::size_t n = 0; n < bytes / chunk; ++n)
      part.landed.push_back(std::make_unique<gpu::Event>(part.source->gpu));
  }
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    const auto start = now_ns();
    for (std::size_t n = 0; n < bytes / chunk; ++n)
      for (auto& [source, target, landed] : parts) {
        const auto at = n * chunk;
        source->use();
        source->out.from_device(source->host_target.words() + at / 4, source->device.at(at), chunk);
        source->out.record(*landed[n]);
        target->use();
        target->in.wait_for(*landed[n]);
        target->in.to_device(target->device_target.at(at), source->host_target.words() + at / 4, chunk);
      }
    for (auto& part : parts) {
      part.target->use();
      part.target->in.wait();
    }
    if (sample >= 0) m.ns.push_back(now_ns() - start);
  }
  m.bytes = static_cast<std::int64_t>(parts.size() * bytes);
  m.correct = true;
  for (auto& part : parts) {
    part.target->use();
    m.correct = part.target->wrong_on_device(part.target->device_target.at(), bytes, device_seed) == 0 && m.correct;
  }
  lab.first().use();
  return m;
}

std::vector<Settings> counts(const Lab& lab) { return sweep("outstanding", 1, lab.effort.outstanding, 8); }
/// Points of two GPUs, and the same of four where there are so many.
std::vector<Settings> of_several(const Lab& lab, std::vector<Settings> points) {
  if (lab.gpus.size() < 2) return {};
  if (lab.gpus.size() < 4) return points;
  for (std::size_t n = 0, two = points.size(); n < two; ++n) {
    points.push_back(points[n]);
    points.back().values.push_back({"gpus", 4});
  }
  return points;
}
std::vector<Settings> counts_of_several(const Lab& lab) { return of_several(lab, counts(lab)); }
std::vector<Settings> counts_and_writers(const Lab& lab) {
  auto all = counts(lab);
  for (auto& point : all) point.values.push_back({"writers", writers});
  return all;
}
/// Three times a power of two: none of them is a point of read_outstanding.
std::vector<Settings> between(const Lab& lab) {
  std::vector<Settings> all;
  for (const std::int64_t request : {32, 64, 128})
    for (const auto& point : sweep("outstanding", 3, lab.effort.outstanding, 4))
      all.push_back({{{"request", request}, {"outstanding", point.at("outstanding")}}});
  return all;
}
std::vector<Settings> large(const Lab& lab) {
  return of_several(lab, sweep("bytes", static_cast<std::int64_t>(lab.effort.largest / 64),
                               static_cast<std::int64_t>(lab.effort.largest), 8));
}
/// Smaller ones take the CPU longer to submit than the GPUs to copy.
std::vector<Settings> large_chunks(const Lab& lab) {
  return of_several(lab, sweep("chunk", static_cast<std::int64_t>(lab.effort.largest / 64),
                               static_cast<std::int64_t>(lab.effort.largest), 4));
}

}  // namespace

std::vector<Experiment> mixed() {
  std::vector<Experiment> all{
      {"read_between", "as read_outstanding, for numbers of warps between those", between, read_between},
      {"read_beside_copy_to", "a step of 128 B reads by N warps while a copy engine reads host memory", counts,
       read_beside_copy<Way::to_device>},
      {"read_beside_copy_from", "the same while a copy engine writes host memory", counts,
       read_beside_copy<Way::from_device>},
      {"copy_to_beside_read", "a copy of 64 MiB to the device while N warps read 128 B each", counts,
       copy_beside_read<Way::to_device>},
      {"copy_from_beside_read", "the same from the device", counts, copy_beside_read<Way::from_device>},
      {"read_beside_write", "a step of 128 B reads by N warps while others store lines of 128 B", counts_and_writers,
       read_beside_write},
      {"reads_together", "a step of 128 B reads by N warps of one GPU while those of another, or of three, do the same",
       counts_of_several, reads_together, "two GPUs"},
      {"opposite_copies",
       "copies to one GPU and from another, or to two and from two, at the same time, until all have ended", large,
       opposite_copies, "two GPUs"},
      {"staged_both_ways",
       "each of two GPUs' memory to the other's through host memory at once, of one pair or of two, by chunk",
       large_chunks, staged_both_ways, "two GPUs"},
  };
  for (auto& experiment : all) experiment.passes = 3;
  return all;
}

}  // namespace peerpath::experiments
