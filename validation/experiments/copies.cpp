// Copies by the copy engines and by kernels, alone and against the other direction.
#include <algorithm>

#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {
namespace {

/// So many that a sample takes a while, and not so many that the queue is full.
int count_for(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>((std::size_t{32} << 20) / bytes, 2, 128));
}

std::vector<Settings> sizes(const Lab& lab, std::int64_t least) {
  return sweep("bytes", least, static_cast<std::int64_t>(lab.effort.largest));
}

gpu::Stream& stream_of(Bench& bench, Way way) { return way == Way::to_device ? bench.in : bench.out; }

void engine_copy(Bench& bench, Way way, std::size_t bytes) { bench.queue_copy(stream_of(bench, way), way, bytes); }

void kernel_copy(Bench& bench, Way way, std::size_t bytes) {
  constexpr unsigned threads = 512;
  const auto blocks = std::clamp<std::size_t>(bytes / 16 / threads, 1, 4u * 132u);
  gpu::KernelArguments a{.from = bench.host.device_at(), .to = bench.device_target.at(), .bytes = bytes};
  if (way == Way::from_device) a.from = bench.device.at(), a.to = bench.host_target.device_at();
  stream_of(bench, way).launch("copy", static_cast<unsigned>(blocks), threads, a);
}

void poison(Bench& bench, Way way, std::size_t bytes) {
  if (way == Way::from_device) return bench.poison_host(std::min(bytes, std::size_t{1} << 20));
  bench.in.fill(bench.device_target.at(), 0xff, bytes);
  bench.in.wait();
}

using Copy = void (*)(Bench&, Way, std::size_t);

template <Way way, Copy copy>
Measurement alone(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  const auto bytes = static_cast<std::size_t>(settings.at("bytes"));
  poison(bench, way, bytes);
  Measurement m;
  m.ns =
      time_queued(bench, stream_of(bench, way), lab.effort.samples, count_for(bytes), [&] { copy(bench, way, bytes); });
  m.bytes = settings.at("bytes");
  m.correct = bench.copied_right(way, bytes);
  return m;
}

template <Way way>
Measurement once(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  const auto bytes = static_cast<std::size_t>(settings.at("bytes"));
  poison(bench, way, bytes);
  Measurement m;
  for (int n = -5; n < lab.effort.rounds; ++n) {
    const auto start = now_ns();
    engine_copy(bench, way, bytes);
    stream_of(bench, way).wait();
    if (n >= 0) m.ns.push_back(now_ns() - start);
  }
  m.bytes = settings.at("bytes");
  m.correct = bench.copied_right(way, bytes);
  return m;
}

/// The other direction starts first and has three times as much to do.
template <Way way>
Measurement against(Lab& lab, const Settings& settings) {
  constexpr auto other = way == Way::to_device ? Way::from_device : Way::to_device;
  auto& bench = lab.first();
  const auto bytes = static_cast<std::size_t>(settings.at("bytes"));
  poison(bench, way, bytes);
  const auto count = std::min(count_for(bytes), 40);
  const gpu::Event start{bench.gpu}, end{bench.gpu};
  auto& stream = stream_of(bench, way);
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    bench.hold(stream_of(bench, other));
    bench.hold(stream);
    for (int n = 0; n < 3 * count + 2; ++n) engine_copy(bench, other, bytes);
    engine_copy(bench, way, bytes);
    stream.record(start);
    for (int n = 0; n < count; ++n) engine_copy(bench, way, bytes);
    stream.record(end);
    bench.release();
    end.wait();
    stream_of(bench, other).wait();
    if (sample >= 0) m.ns.push_back(end.since(start) / count);
  }
  m.bytes = settings.at("bytes");
  m.correct = bench.copied_right(way, bytes);
  return m;
}

std::vector<Settings> from_64(const Lab& lab) { return sizes(lab, 64); }
std::vector<Settings> from_4096(const Lab& lab) { return sizes(lab, 4096); }
std::vector<Settings> from_64k(const Lab& lab) { return sizes(lab, 65536); }
std::vector<Settings> small_ones(const Lab& lab) {
  return sweep("bytes", 64, std::min<std::int64_t>(1 << 20, static_cast<std::int64_t>(lab.effort.largest)));
}

}  // namespace

std::vector<Experiment> copies() {
  return {
      {"copy_to_device",
       "copy engine reading host memory, one copy after the other in one stream, all queued before the first starts",
       from_64, alone<Way::to_device, engine_copy>},
      {"copy_from_device", "copy engine writing host memory, queued likewise", from_64,
       alone<Way::from_device, engine_copy>},
      {"copy_to_device_against", "the same to the device while copies from the device keep the other direction busy",
       from_64k, against<Way::to_device>},
      {"copy_from_device_against", "the same from the device while copies to the device keep the other direction busy",
       from_64k, against<Way::from_device>},
      {"kernel_to_device",
       "multiprocessors in place of the copy engine: loads of 16 B from host memory, stores to device memory; one "
       "launch a copy, queued",
       from_4096, alone<Way::to_device, kernel_copy>},
      {"kernel_from_device", "loads from device memory, stores of 16 B to host memory; one launch a copy, queued",
       from_4096, alone<Way::from_device, kernel_copy>},
      {"copy_once_to_device", "one copy from the call to its end seen by the CPU: submission, copy and completion",
       small_ones, once<Way::to_device>},
      {"copy_once_from_device", "likewise from the device", small_ones, once<Way::from_device>},
  };
}

}  // namespace peerpath::experiments
