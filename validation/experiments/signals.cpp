// How long it takes CPU and GPU to tell each other something.
#include <atomic>
#include <chrono>
#include <thread>

#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {
namespace {

constexpr int question = 2, reply = 3;

std::vector<Settings> one_point(const Lab&) { return {{{{"count", 1}}}}; }

void store(std::uint32_t* word, std::uint32_t value) {
  std::atomic_thread_fence(std::memory_order_release);
  *static_cast<volatile std::uint32_t*>(word) = value;
}

Measurement flag_round_trip(Lab& lab, const Settings&) {
  auto& bench = lab.first();
  const auto first = bench.next_number() * 100'000u;
  const auto rounds = static_cast<std::uint32_t>(lab.effort.rounds);
  bench.in.launch("answer", 1, 1,
                  {.from = bench.flag_at(question), .to = bench.flag_at(reply), .steps = rounds + 10, .first = first});
  Measurement m;
  for (std::uint32_t round = 0; round < rounds + 10; ++round) {
    const auto start = now_ns();
    store(bench.flag(question), first + round);
    await(bench.flag(reply), first + round);
    if (round >= 10) m.ns.push_back(now_ns() - start);
  }
  bench.in.wait();
  m.correct = *bench.flag(reply) == first + rounds + 9;
  return m;
}

/// Time from `submit`, which has the GPU write a number at the reply flag, until the CPU sees it.
template <class Submit>
Measurement until_seen(Lab& lab, const Submit& submit) {
  auto& bench = lab.first();
  Measurement m;
  for (int n = -10; n < lab.effort.rounds; ++n) {
    const auto number = bench.next_number() * 16u + 1u;
    const auto start = now_ns();
    submit(bench, number);
    await(bench.flag(reply), number);
    if (n >= 0) m.ns.push_back(now_ns() - start);
    bench.in.wait();
  }
  m.correct = true;  // each number was seen
  return m;
}

Measurement doorbell(Lab& lab, const Settings&) {
  return until_seen(lab,
                    [](Bench& bench, std::uint32_t number) { bench.in.write_value(bench.flag_at(reply), number); });
}

Measurement launch_seen(Lab& lab, const Settings&) {
  return until_seen(lab, [](Bench& bench, std::uint32_t number) {
    bench.in.launch("ring", 1, 1, {.to = bench.flag_at(reply), .first = number});
  });
}

Measurement launch_submit(Lab& lab, const Settings&) {
  constexpr int launches = 100;
  auto& bench = lab.first();
  Measurement m;
  for (int sample = -1; sample < lab.effort.samples; ++sample) {
    bench.hold(bench.in);
    const auto start = now_ns();
    for (int n = 0; n < launches; ++n)
      bench.in.launch("ring", 1, 1, {.to = bench.flag_at(reply), .first = static_cast<std::uint32_t>(n)});
    if (sample >= 0) m.ns.push_back((now_ns() - start) / launches);
    bench.release();
    bench.in.wait();
    m.correct = *bench.flag(reply) == launches - 1;
  }
  return m;
}

Measurement launch_queued(Lab& lab, const Settings&) {
  auto& bench = lab.first();
  const auto number = bench.next_number() * 16u + 1u;
  Measurement m;
  m.ns = time_queued(bench, bench.in, lab.effort.samples, 128,
                     [&] { bench.in.launch("ring", 1, 1, {.to = bench.result_at(), .first = number}); });
  m.correct = bench.result() == number;
  return m;
}

/// A kernel that another thread lets end; the CPU waits for it with an event that spins or one that sleeps.
Measurement wake_up(Lab& lab, const Settings& settings) {
  auto& bench = lab.first();
  const gpu::Event done{bench.gpu, settings.at("sleeping") != 0 ? gpu::event_blocking : gpu::event_default};
  Measurement m;
  for (int n = -3; n < lab.effort.rounds; ++n) {
    bench.hold(bench.in);
    bench.in.record(done);
    std::atomic<double> released{0};
    std::thread other{[&] {
      std::this_thread::sleep_for(std::chrono::microseconds{300});
      released = now_ns();
      bench.release();
    }};
    done.wait();
    const auto end = now_ns();
    other.join();
    if (n >= 0) m.ns.push_back(end - released);
  }
  m.correct = true;
  return m;
}

std::vector<Settings> both_ways_to_wait(const Lab&) { return {{{{"sleeping", 0}}}, {{{"sleeping", 1}}}}; }

}  // namespace

std::vector<Experiment> signals() {
  return {
      {"flag_round_trip",
       "CPU writes a flag in host memory, a running kernel polls it and answers in host memory: two GPU reads' worth "
       "of polling and one GPU write",
       one_point, flag_round_trip},
      {"doorbell",
       "from the call that has the GPU's front end write a word, with no kernel, until the CPU sees it: submission, "
       "doorbell, fetch of the command, write",
       one_point, doorbell},
      {"launch_seen", "the same with a kernel that writes the word", one_point, launch_seen},
      {"launch_submit", "the CPU's share of a kernel launch: launches queued behind one that is held", one_point,
       launch_submit},
      {"launch_queued", "the GPU's share: from one small kernel to the next when all are queued", one_point,
       launch_queued},
      {"wake_up",
       "from the release of a waiting kernel until the thread that waits for its end goes on: spinning on memory, or "
       "asleep until an interrupt",
       both_ways_to_wait, wake_up},
  };
}

}  // namespace peerpath::experiments
