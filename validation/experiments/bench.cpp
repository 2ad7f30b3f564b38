#include "validation/experiments/bench.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace peerpath::experiments {
namespace {

constexpr int release_flag = 0;
constexpr std::size_t flag_bytes = 4096;
constexpr unsigned threads = 256;

}  // namespace

double now_ns() {
  using namespace std::chrono;
  return static_cast<double>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

void await(const std::uint32_t* word, std::uint32_t value) {
  const auto* seen = static_cast<const volatile std::uint32_t*>(word);
  const auto start = now_ns();
  for (std::uint64_t look = 1; *seen != value; ++look)
    if (look % 65536 == 0 && now_ns() - start > 2e9) throw gpu::Error{"the GPU did not answer within 2 s"};
  std::atomic_thread_fence(std::memory_order_acquire);
}

Bench::Bench(gpu::Gpu& the_gpu, const Effort& effort)
    : gpu{the_gpu},
      host{gpu, effort.largest, gpu::Pages::huge},
      host_target{gpu, effort.largest, gpu::Pages::huge},
      device{gpu, effort.largest},
      device_target{gpu, effort.largest},
      in{gpu},
      out{gpu},
      flags_{gpu, flag_bytes},
      result_{gpu, flag_bytes} {
  for (std::size_t i = 0; i < effort.largest / 4; ++i) host.words()[i] = gpu::pattern(i, host_seed);
  std::memset(host_target.words(), 0xff, effort.largest);
  std::memset(flags_.words(), 0, flag_bytes);
  in.launch("fill_pattern", 512, threads, {.to = device.at(), .bytes = effort.largest, .seed = device_seed});
  in.fill(device_target.at(), 0xff, effort.largest);
  in.wait();
}

void Bench::hold(gpu::Stream& stream) {
  stream.launch("hold", 1, 1, {.from = flag_at(release_flag), .first = number_ + 1});
}

void Bench::release() {
  std::atomic_thread_fence(std::memory_order_release);
  *static_cast<volatile std::uint32_t*>(flag(release_flag)) = next_number();
}

void Bench::clear_result() {
  in.fill(result_at(), 0, 4);
  in.wait();
}

std::uint32_t Bench::result() {
  in.from_device(flag(1), result_at(), 4);
  in.wait();
  return *flag(1);
}

std::uint32_t Bench::wrong_on_device(gpu::DevicePointer at, std::size_t bytes, std::uint64_t seed) {
  clear_result();
  in.launch("count_wrong", 512, threads, {.from = at, .result = result_at(), .bytes = bytes, .seed = seed});
  return result();
}

void Bench::queue_copy(gpu::Stream& stream, Way way, std::size_t bytes) {
  if (way == Way::to_device)
    stream.to_device(device_target.at(), host.words(), bytes);
  else
    stream.from_device(host_target.words(), device.at(), bytes);
}

bool Bench::copied_right(Way way, std::size_t bytes) {
  return way == Way::to_device ? wrong_on_device(device_target.at(), bytes, host_seed) == 0
                               : right_on_host(bytes, device_seed);
}

bool Bench::right_on_host(std::size_t bytes, std::uint64_t seed) const {
  const auto words = bytes / 4;
  const auto right = [&](std::size_t i) { return host_target.words()[i] == gpu::pattern(i, seed); };
  for (std::size_t i = 0; i < words; i += i < (std::size_t{1} << 18) ? 1 : 1021)
    if (!right(i)) return false;
  return right(words - 1);
}

void Bench::poison_host(std::size_t bytes) { std::memset(host_target.words(), 0xff, bytes); }

std::vector<double> time_queued(Bench& bench, gpu::Stream& stream, int samples, int count,
                                const std::function<void()>& submit) {
  const gpu::Event start{bench.gpu}, end{bench.gpu};
  std::vector<double> ns;
  for (int sample = -1; sample < samples; ++sample) {
    bench.hold(stream);
    submit();
    stream.record(start);
    for (int n = 0; n < count; ++n) submit();
    stream.record(end);
    bench.release();
    end.wait();
    if (sample >= 0) ns.push_back(end.since(start) / count);
  }
  return ns;
}

std::vector<double> time_steps(Bench& bench, int samples, std::uint64_t steps,
                               const std::function<void(std::uint64_t)>& launch) {
  const gpu::Event start{bench.gpu}, middle{bench.gpu}, end{bench.gpu};
  std::vector<double> ns;
  for (int sample = -1; sample < samples; ++sample) {
    bench.hold(bench.in);
    bench.in.record(start);
    launch(steps);
    bench.in.record(middle);
    launch(3 * steps);
    bench.in.record(end);
    bench.release();
    end.wait();
    if (sample >= 0) ns.push_back((end.since(middle) - middle.since(start)) / (2.0 * static_cast<double>(steps)));
  }
  return ns;
}

}  // namespace peerpath::experiments
